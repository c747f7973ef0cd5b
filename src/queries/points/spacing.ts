// Measures the spacing of points.
import { compile, parameter } from '../../db/compile.ts';
import { sql } from '../../db/drizzle.ts';
import { audioData } from '../../db/schema.ts';
import { inInterval } from '../../points/points.ts';
import { readNewest } from '../../points/search-back.ts';
import type { Store } from '../../store/store.ts';

/** The number of last points to measure. */
const POINTS = 1001;

const { time } = audioData;
const statement = compile(
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
 * The median gap between neighbouring distinct times among the last 1,001 points before `before`, in seconds, to the
 * microsecond; null if there are fewer than two times.
 *
 * @param before null means `now`
 * @param now the clock of the request
 */
export async function spacing(store: Store, before: string | null, now: string): Promise<number | null> {
  const all = { from: null, to: before ?? now };
  const { seconds } = await readNewest(all, now, POINTS, async (interval) => {
    const values = { ...interval, points: POINTS };
    const [row] = await store.db.query<{ count: number; seconds: number | null }>(statement, values);
    return row ?? { count: 0, seconds: null };
  });
  return seconds === null ? null : Math.round(seconds * 1e6) / 1e6;
}
