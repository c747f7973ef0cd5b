// When points are: the oldest, the newest, and their spacing, from the recorder or else from the points.
import { AFTER_LAST_INSTANT, FIRST_INSTANT } from '../contract/instant.ts';
import type { Database, Statement } from '../database/database.ts';
import {
  asc,
  compile,
  desc,
  instantText,
  parameter,
  QueryBuilder,
  type SQL,
  sql,
} from '../database/drizzle.ts';
import { audioData, tables } from '../database/schema.ts';
import type { Store } from '../rollups/store.ts';
import { inInterval } from './points.ts';
import { readNewest } from './search-back.ts';

const POINTS = 1001;

const { time } = audioData;

/** @param isBefore on `since`: the last such period counts. @returns its interval in microseconds, if it is known */
export const periodSpacing = (isBefore: SQL) => sql<{ micros: number | null }>`
  select case when interval_ms > 0 then 1000 * interval_ms::float8 end as micros
  from ${tables.periods} where ${isBefore} order by since desc limit 1`;

const ofPeriod = compile(
  periodSpacing(sql`since < ${parameter('before')}::timestamptz`),
  'spacing_of_period',
);

const ofPoints = compile(
  sql<{ count: number; seconds: number | null }>`
  with newest as (
    select ${time} from ${tables.points} where ${inInterval}
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
  const [period] = await store.db.query(ofPeriod, { before: to });
  return period?.micros != null ? period.micros / 1e6 : spacingOfPoints(store, to, now);
}

/** The same, whatever the period says. */
export async function spacingOfPoints(store: Store, to: string, now: string): Promise<number | null> {
  const { seconds } = await readNewest({ from: null, to }, now, POINTS, async (interval) => {
    const values = { ...interval, points: POINTS };
    const [row] = await store.db.query(ofPoints, values);
    return row ?? { count: 0, seconds: null };
  });
  return seconds === null ? null : Math.round(seconds * 1e6) / 1e6;
}

/** The first times of an interval in the given order, canonical. */
const firstTimes = (order: SQL, name: string): Statement<{ time: string }> =>
  compile(
    new QueryBuilder()
      .select({ time: instantText(audioData.time).as('time') })
      .from(audioData)
      .where(inInterval)
      .orderBy(order)
      .limit(parameter('limit')),
    name,
  );

const oldestIn = firstTimes(asc(audioData.time), 'oldest_point');
const newestIn = firstTimes(desc(audioData.time), 'newest_point');

/** @param to ignores points dated later. @returns the newest time before `to`, canonical; undefined without points */
export async function newestTime(store: Store, to: string): Promise<string | undefined> {
  const { rows } = await readNewest({ from: null, to }, to, 1, async (interval) => {
    const rows = await store.db.query(newestIn, { ...interval, limit: 1 });
    return { count: rows.length, rows };
  });
  return rows[0]?.time;
}

const ALL = { from: FIRST_INSTANT, to: AFTER_LAST_INSTANT };

/** The times of the oldest and the newest point, canonical; null if there is none. A point dated ahead counts. */
export async function timeSpan(db: Database) {
  const first = async (statement: Statement<{ time: string }>) => {
    const [row] = await db.query(statement, { ...ALL, limit: 1 });
    return row?.time ?? null;
  };
  return { oldest: await first(oldestIn), newest: await first(newestIn) };
}
