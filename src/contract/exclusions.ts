// Exclusions, which statistics leave out: the parameter, the fields of answers, and how backups store them.
import { z } from 'zod';
import { Instant } from './instant-schema.ts';
import { nameIn } from './parameters.ts';

/** The most exclusions that a station can have. */
export const MOST_EXCLUSIONS = 10_000;

const WAYS = {
  apply: 'exclusions are left out',
  ignore: 'everything counts',
} as const;

const waysOf = (what: string) =>
  nameIn(WAYS)
    .default('apply')
    .meta({ description: what, examples: ['ignore'] });

/** The parameter of statistics. */
export const Exclusions = waysOf(
  'Whether all figures leave out points in excluded stretches (`npm run exclude`), such as rain: `apply` or `ignore`. The stretches include their start, exclude their end, and count as gaps',
);

/** The parameter of noise events. */
export const EventExclusions = waysOf(
  'Whether to leave out events that start in excluded stretches (`npm run exclude`), such as rain: `apply` or `ignore`. The figures of an event and its background include all points',
);
export type Exclusions = z.infer<typeof Exclusions>;

export const excluded_seconds = z.number().min(0).meta({
  description: 'Seconds of the interval that this answer leaves out; 0 with exclusions=ignore',
});

/** stats.quality lists this many exclusions, the newest. */
export const MOST_LISTED = 1000;

export const ListedExclusion = z
  .object({
    from: Instant.meta({ description: 'Start, inclusive' }),
    to: Instant.meta({ description: 'End, exclusive' }),
    reason: z.string().meta({ description: 'Why, such as rain' }),
    by: z.string().nullable().meta({ description: 'The person responsible; null if nobody is named' }),
  })
  .meta({ id: 'Exclusion', description: 'A stretch that statistics leave out' });
export type ListedExclusion = z.infer<typeof ListedExclusion>;

/** An exclusion in a backup. */
export const Exclusion = z.object({
  from: z.string(),
  to: z.string(),
  reason: z.string(),
  by: z.string().nullable(),
  made_at: z.string(),
});
export type Exclusion = Readonly<z.infer<typeof Exclusion>>;
