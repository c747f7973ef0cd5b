// The statistics of a window. This statement is their definition.
import { sql } from 'drizzle-orm';
import type { SummaryOutput } from '../contract/stats.ts';
import type { Database } from '../db/database.ts';
import { audioData } from '../db/schema.ts';
import { compile, parameter } from '../db/statement.ts';

export type Statistics = Omit<SummaryOutput, 'period' | 'from' | 'to'>;

// Sums of floats depend on their order. Levels are summed as whole numbers of 2^-32 dB, which a real
// beyond -0.002 dB is exactly, so that avg_db is the same whatever the order.
//
// The level that is exceeded N % of the time is the smallest one that at least 100 - N % of the levels do
// not exceed, out of levels rounded to 0.1 dB (`level` counts tenths).
const statement = compile(sql`
  with counted as (
    select grouping(frequency_hz, level) as grouped, frequency_hz, level,
      count(*) as point_count,
      count(rms_db) as level_count,
      sum(round(rms_db::float8 * 4294967296)::bigint) as level_sum,
      max(rms_db) as max_db,
      min(rms_db) as min_db,
      sum(power(10::float8, rms_db::float8 / 10)) as power_sum,
      count(*) filter (where is_silence) as silence_count
    from (
      select rms_db, frequency_hz, is_silence, round(rms_db::float8 * 10)::int as level
      from ${audioData}
      where ${audioData.time} >= ${parameter('from')} and ${audioData.time} < ${parameter('to')}
    ) as points
    group by grouping sets ((), (frequency_hz), (level))
  ),
  total as (select * from counted where grouped = 3),
  levels as (
    select level, sum(point_count) over (order by level) as reached
    from counted where grouped = 2 and level is not null
  )
  select
    point_count::float8 as point_count,
    level_sum::float8 / 4294967296 / nullif(level_count, 0) as avg_db,
    max_db,
    min_db,
    10 * log(power_sum / nullif(level_count, 0)) as leq_db,
    (select min(level) / 10::float8 from levels where reached * 10 >= level_count * 9) as l10_db,
    (select min(level) / 10::float8 from levels where reached * 2 >= level_count) as l50_db,
    (select min(level) / 10::float8 from levels where reached * 10 >= level_count) as l90_db,
    (
      select frequency_hz from counted
      where grouped = 1 and frequency_hz is not null
      order by point_count desc, frequency_hz limit 1
    ) as dominant_frequency_hz,
    100 * silence_count::float8 / nullif(point_count, 0) as silence_percent
  from total
`);

/** The statistics of `[from, to)`; an empty window has `point_count` 0 and null for the rest. */
export async function summary(db: Database, interval: { from: string; to: string }): Promise<Statistics> {
  const [statistics] = await db.query<Statistics>(statement, interval);
  if (!statistics) throw new Error('The summary statement gave no row');
  return statistics;
}
