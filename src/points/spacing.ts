// The spacing of points at a time: the interval of the recorder, or else what the points show.
import { compile, parameter } from '../database/compile.ts';
import { type SQL, sql } from '../database/drizzle.ts';
import { audioData } from '../database/schema.ts';
import type { Store } from '../rollups/store.ts';
import { inInterval } from './points.ts';
import { readNewest } from './search-back.ts';

/** The number of last points to measure. */
const POINTS = 1001;

const { time } = audioData;

/**
 * @param isBefore a condition on the start of a period, `since`: the last of these periods counts
 * @returns the select of its interval in microseconds; null, or no row, if it is unknown
 */
export const periodSpacing = (isBefore: SQL) => sql`
  select case when interval_ms > 0 then 1000 * interval_ms::float8 end as micros
  from audio_data_periods where ${isBefore} order by since desc limit 1`;

const ofPeriod = compile(
  periodSpacing(sql`since < ${parameter('before')}::timestamptz`),
  'spacing_of_period',
);

const ofPoints = compile(
  sql`
  with newest as (
    select ${time} from ${audioData} where ${inInterval}
    order by ${time} desc limit ${parameter('points')}
  ),
  distances as (
    select date_part('epoch', time - lead(time) over (order by time desc)) as seconds
    from (select distinct time from newest) as times
  )
  select (select count(*)::int from newest) as count,
    (select percentile_cont(0.5) within group (order by seconds) from distances) as seconds`,
  'spacing',
);

/**
 * The interval of the period before `before`. If it is unknown, the median gap between neighbouring distinct times among
 * the last 1,001 points; null if there are fewer than two times. In seconds, to the microsecond.
 *
 * @param before null means `now`
 * @param now the clock of the request
 */
export async function spacing(store: Store, before: string | null, now: string): Promise<number | null> {
  const to = before ?? now;
  const [period] = await store.db.query<{ micros: number | null }>(ofPeriod, { before: to });
  if (period?.micros != null) return period.micros / 1e6;
  const { seconds } = await readNewest({ from: null, to }, now, POINTS, async (interval) => {
    const values = { ...interval, points: POINTS };
    const [row] = await store.db.query<{ count: number; seconds: number | null }>(ofPoints, values);
    return row ?? { count: 0, seconds: null };
  });
  return seconds === null ? null : Math.round(seconds * 1e6) / 1e6;
}
