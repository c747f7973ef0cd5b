// Exclusions, the stretches that statistics leave out: parameters, answer fields, and their form in backups.
import { z } from 'zod';
import { instant, text, textOrNull } from './fields.ts';
import { nameIn } from './parameters.ts';

export const MOST_EXCLUSIONS = 10_000;

const WAYS = { apply: 'exclusions are left out', ignore: 'everything counts' } as const;

const waysOf = (what: string) =>
  nameIn(WAYS)
    .default('apply')
    .meta({ description: what, examples: ['ignore'] });

/** The parameter of statistics operations. */
export const Exclusions = waysOf(
  'Whether all figures leave out points in excluded stretches (`npm run exclude`), such as rain: with `apply` they do. Each stretch includes its start, excludes its end, and counts as a gap',
);

/** The parameter of noise event operations. */
export const EventExclusions = waysOf(
  'Whether to leave out events that start in excluded stretches (`npm run exclude`), such as rain: `apply` leaves them out. The figures and the background of an event include all points',
);
export type Exclusions = z.infer<typeof Exclusions>;

export const excluded_seconds = z.number().min(0).meta({
  description: 'Seconds of the interval that this answer leaves out; 0 with exclusions=ignore',
});

/** stats.quality lists at most this many exclusions, the newest ones. */
export const MOST_LISTED = 1000;

export const ListedExclusion = z
  .object({
    from: instant('Start, inclusive'),
    to: instant('End, exclusive'),
    reason: text('The reason, such as rain'),
    by: textOrNull('The person responsible; null if nobody is named'),
  })
  .meta({ id: 'Exclusion', description: 'A stretch that statistics leave out' });
export type ListedExclusion = z.infer<typeof ListedExclusion>;

export const Exclusion = z.object({
  from: z.string(),
  to: z.string(),
  reason: z.string(),
  by: z.string().nullable(),
  made_at: z.string(),
});
export type Exclusion = Readonly<z.infer<typeof Exclusion>>;
