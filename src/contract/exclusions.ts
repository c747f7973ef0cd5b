// What statistics leave out: the parameter, what an answer says of it, and the text of an exclusion.
import { z } from 'zod';
import { Instant } from './instant-schema.ts';
import { nameIn } from './parameters.ts';

/** The most exclusions of a station. */
export const MOST_EXCLUSIONS = 10_000;

const WAYS = {
  apply: 'what is excluded is left out',
  ignore: 'all counts',
} as const;

const waysOf = (what: string) =>
  nameIn(WAYS)
    .default('apply')
    .meta({ description: what, examples: ['ignore'] });

/** Of statistics. */
export const Exclusions = waysOf(
  'Whether points in excluded stretches (`npm run exclude`), such as rain, are left out of all figures: `apply` or `ignore`. The stretches are half open, and count as gaps',
);

/** Of noise events. */
export const EventExclusions = waysOf(
  'Whether events that start in excluded stretches (`npm run exclude`), such as rain, are left out: `apply` or `ignore`. The figures of an event, and its background, are of all points',
);
export type Exclusions = z.infer<typeof Exclusions>;

export const excluded_seconds = z.number().min(0).meta({
  description: 'How much of the interval is excluded from the answer, in seconds; 0 with exclusions=ignore',
});

/** How many exclusions stats.quality lists, the newest. */
export const MOST_LISTED = 1000;

export const ListedExclusion = z
  .object({
    from: Instant.meta({ description: 'Start, inclusive' }),
    to: Instant.meta({ description: 'End, exclusive' }),
    reason: z.string().meta({ description: 'Why, such as rain' }),
    by: z.string().nullable().meta({ description: 'The person who decided it; null if no person is named' }),
  })
  .meta({ id: 'Exclusion', description: 'A stretch that statistics leave out' });
export type ListedExclusion = z.infer<typeof ListedExclusion>;

/** As backups hold one. */
export const Exclusion = z.object({
  from: z.string(),
  to: z.string(),
  reason: z.string(),
  by: z.string().nullable(),
  made_at: z.string(),
});
export type Exclusion = Readonly<z.infer<typeof Exclusion>>;
