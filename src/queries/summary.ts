// The statistics of a window. This statement is their definition.
import { type SQL, sql } from 'drizzle-orm';
import type { SummaryOutput } from '../contract/summary.ts';
import { KEYS, RESOLUTIONS } from '../timescale/rollups.ts';
import type { Store } from '../timescale/rollups-in-use.ts';
import {
  FIGURES,
  type Sources,
  TOTALS,
  TOTALS_OF_POINTS,
  TOTALS_OF_TOTALS,
  unionOfPoints,
  unionOfRollups,
} from './algebra.ts';
import { answerFrom, type Usable } from './cheapest-sources.ts';
import { dominantFrequency } from './dominant-frequency.ts';

export type Statistics = Omit<SummaryOutput, 'period' | 'from' | 'to'>;

/**
 * @returns the select that adds up what the sources hold, in one row
 *
 * L_N, the level exceeded N % of the time, is the smallest level that at least 100 - N % of the levels do not
 * exceed. Levels are rounded to 0.1 dB first (`level` counts tenths).
 *
 * Few points are read once: to plan another scan takes longer than to count them.
 */
export function statisticsOf(sources: Sources): SQL {
  return sources.isShort
    ? sql`
  with points as materialized (${unionOfPoints(sources, sql`rms_db, frequency_hz, is_silence`)})
  select * from (${figuresOf({ ...sources, raw: [sql`true`], points: sql`points` })}) as figures`
    : figuresOf(sources);
}

function figuresOf(sources: Sources): SQL {
  return sql`
  with measured as (
    select level, ${TOTALS_OF_POINTS}
    from (${unionOfPoints(sources, sql`rms_db, is_silence, (rms_db::float8 * 10)::int as level`)}) as levels
    group by level
  ),
  totals as (
    select ${TOTALS} from measured${unionOfRollups(sources, 'total', () => TOTALS)}
  ),
  levels as (
    select level, point_count::float8
    from (
      select level, point_count from measured${unionOfRollups(
        sources,
        'level',
        () => sql`level, sum(point_count)`,
        sql` group by level`,
      )}
    ) as counts
  ),
  total as (select ${TOTALS_OF_TOTALS} from totals),
  reaching as (
    select level, sum(point_count) over (order by level) as reached from levels where level is not null
  )
  select ${FIGURES},
    (select min(level) / 10::float8 from reaching where reached * 10 >= level_count::float8 * 9) as l10_db,
    (select min(level) / 10::float8 from reaching where reached * 2 >= level_count::float8) as l50_db,
    (select min(level) / 10::float8 from reaching where reached * 10 >= level_count::float8) as l90_db,
    (${dominantFrequency(sources)}) as dominant_frequency_hz
  from total`;
}

/** The rollups that hold all that a summary is made of. */
export const COUNTED: readonly Usable[] = RESOLUTIONS.filter(({ isCounted }) => isCounted).map(
  ({ name, seconds }) => ({ resolution: name, seconds, keys: KEYS }),
);

/** The statistics of `[from, to)`; an empty window has `point_count` 0 and null for the rest. */
export async function summary(store: Store, interval: { from: string; to: string }): Promise<Statistics> {
  const [statistics] = await answerFrom<Statistics>(store, interval, statisticsOf, COUNTED);
  if (!statistics) throw new Error('The summary statement gave no row');
  return statistics;
}
