// The statistics of a window. This statement is their definition.
import { type SQL, sql } from 'drizzle-orm';
import type { SummaryOutput } from '../contract/stats.ts';
import type { Database } from '../db/database.ts';
import { compile, parameter } from '../db/statement.ts';
import { compose } from './compose.ts';
import { partials, rawSources, type Sources } from './partials.ts';

export type Statistics = Omit<SummaryOutput, 'period' | 'from' | 'to'>;

// The level that is exceeded N % of the time is the smallest one that at least 100 - N % of the levels do
// not exceed, out of levels rounded to 0.1 dB (`level` counts tenths).
/** @returns the statement that adds up what the sources hold. */
export function statisticsOf(sources: Sources): SQL {
  return sql`
  with ${partials(sources)},
  total as (
    select
      coalesce(sum(point_count), 0) as point_count,
      sum(level_count) as level_count,
      sum(level_sum) as level_sum,
      min(min_db) as min_db,
      max(max_db) as max_db,
      sum(power_sum) as power_sum,
      sum(silence_count) as silence_count
    from totals
  ),
  reaching as (
    select level, sum(point_count) over (order by level) as reached from levels where level is not null
  )
  select
    point_count::float8 as point_count,
    level_sum::float8 / 4294967296 / nullif(level_count, 0) as avg_db,
    max_db,
    min_db,
    10 * log(power_sum / nullif(level_count, 0)) as leq_db,
    (select min(level) / 10::float8 from reaching where reached * 10 >= level_count * 9) as l10_db,
    (select min(level) / 10::float8 from reaching where reached * 2 >= level_count) as l50_db,
    (select min(level) / 10::float8 from reaching where reached * 10 >= level_count) as l90_db,
    (
      select frequency_hz from frequencies
      where frequency_hz is not null
      group by frequency_hz order by sum(point_count) desc, frequency_hz limit 1
    ) as dominant_frequency_hz,
    100 * silence_count::float8 / nullif(point_count, 0) as silence_percent
  from total`;
}

const ofPoints = compile(statisticsOf(rawSources(parameter('from'), parameter('to'))));

/** The statistics of `[from, to)`; an empty window has `point_count` 0 and null for the rest. */
export async function summary(db: Database, interval: { from: string; to: string }): Promise<Statistics> {
  const [statistics] =
    (await compose<Statistics>(db, interval, statisticsOf)) ??
    (await db.query<Statistics>(ofPoints, interval));
  if (!statistics) throw new Error('The summary statement gave no row');
  return statistics;
}
