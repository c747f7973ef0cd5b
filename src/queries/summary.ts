// The statistics of a window. This statement is their definition.
import { type SQL, sql } from 'drizzle-orm';
import type { SummaryOutput } from '../contract/summary.ts';
import { audioData } from '../db/schema.ts';
import { RESOLUTIONS } from '../timescale/rollups.ts';
import type { Store } from '../timescale/rollups-in-use.ts';
import {
  FIGURES,
  type Sources,
  TOTALS,
  TOTALS_OF_POINTS,
  TOTALS_OF_TOTALS,
  unionOfRollups,
} from './algebra.ts';
import { answerFrom } from './cheapest-sources.ts';

export type Statistics = Omit<SummaryOutput, 'period' | 'from' | 'to'>;

/**
 * @returns the select that adds up what the sources hold, in one row
 *
 * L_N, the level exceeded N % of the time, is the smallest level that at least 100 - N % of the levels do not
 * exceed. Levels are rounded to 0.1 dB first (`level` counts tenths).
 *
 * Frequencies have a scan of their own: TimescaleDB counts in vectors where nothing else is asked. Counts are
 * float8, which adds up whole numbers exactly, and faster than numeric, the sum of a bigint.
 */
export function statisticsOf(sources: Sources): SQL {
  return sql`
  with measured as (
    select level, ${TOTALS_OF_POINTS}
    from (
      select rms_db, is_silence, (rms_db::float8 * 10)::int as level
      from ${audioData} where ${sources.raw}
    ) as points
    group by level
  ),
  totals as (
    select ${TOTALS} from measured${unionOfRollups(sources, 'total', () => TOTALS)}
  ),
  levels as (
    select level, point_count::float8 from measured${unionOfRollups(
      sources,
      'level',
      () => sql`level, sum(point_count)::float8`,
      sql` group by level`,
    )}
  ),
  frequencies as (
    select frequency_hz, count(*)::float8 as point_count
    from ${audioData} where ${sources.raw}
    group by frequency_hz${unionOfRollups(
      sources,
      'frequency',
      () => sql`frequency_hz, sum(point_count)::float8`,
      sql` group by frequency_hz`,
    )}
  ),
  total as (select ${TOTALS_OF_TOTALS} from totals),
  reaching as (
    select level, sum(point_count) over (order by level) as reached from levels where level is not null
  )
  select ${FIGURES},
    (select min(level) / 10::float8 from reaching where reached * 10 >= level_count::float8 * 9) as l10_db,
    (select min(level) / 10::float8 from reaching where reached * 2 >= level_count::float8) as l50_db,
    (select min(level) / 10::float8 from reaching where reached * 10 >= level_count::float8) as l90_db,
    (
      select frequency_hz from frequencies
      where frequency_hz is not null
      group by frequency_hz order by sum(point_count) desc, frequency_hz limit 1
    ) as dominant_frequency_hz
  from total`;
}

/** The rollups that hold all that a summary is made of. */
export const COUNTED = RESOLUTIONS.filter(({ isCounted }) => isCounted).map(({ name }) => name);

/** The statistics of `[from, to)`; an empty window has `point_count` 0 and null for the rest. */
export async function summary(store: Store, interval: { from: string; to: string }): Promise<Statistics> {
  const [statistics] = await answerFrom<Statistics>(store, interval, statisticsOf, COUNTED);
  if (!statistics) throw new Error('The summary statement gave no row');
  return statistics;
}
