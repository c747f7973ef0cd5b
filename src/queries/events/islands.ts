// Islands: the points of a range that lie above a level, put together where they are close.
import { type SQL, sql } from 'drizzle-orm';
import { AFTER_LAST_INSTANT, instantOfMicros, LAST_MICROS, microsOf } from '../../contract/instant.ts';
import { compile, parameter } from '../../db/compile.ts';
import type { Values } from '../../db/database.ts';
import { audioData } from '../../db/schema.ts';
import { instantText } from '../../db/statement-values.ts';
import type { Range } from '../../timescale/internal-catalog.ts';
import type { Store } from '../../timescale/rollups-in-use.ts';
import { HALF_HOUR, type HalfHours, halfHoursWithin } from '../statistics/backgrounds.ts';

/** What makes an event. One of `threshold` and `above_background` is null. */
export interface Criteria {
  readonly threshold: number | null;
  readonly above_background: number | null;
  readonly hysteresis: number;
  readonly hold_seconds: number;
  readonly min_duration_seconds: number;
  readonly spacing_seconds: number | null;
}

/** Times are microseconds since 1970. */
export interface Island {
  /** Its first and its last point above threshold - hysteresis. */
  readonly first: bigint;
  readonly last: bigint;
  /** Its first point above the threshold. */
  readonly loud: bigint | null;
}

/** Far more than the events of a page. */
const MOST_ISLANDS = 10_000;

/** @returns microseconds */
export const microsIn = (seconds: number) => BigInt(Math.round(seconds * 1e6));

/** @returns a bound as statements take it */
export const boundOf = (micros: bigint) =>
  micros > LAST_MICROS ? AFTER_LAST_INSTANT : instantOfMicros(micros);

/** @returns the threshold of a half hour in dB, without the dust of binary fractions; null where there is none */
export function thresholdOf(start: bigint, halfHours: HalfHours, criteria: Criteria): number | null {
  if (criteria.above_background === null) return criteria.threshold;
  const before = halfHours.get(start - HALF_HOUR);
  return before ? Number((before.l90_db + criteria.above_background).toFixed(6)) : null;
}

const { time, rms_db } = audioData;
const within = sql`${time} >= ${parameter('from')} and ${time} < ${parameter('to')}`;

// Thresholds are reals like the column: a level that reads -10.2 is then not above a threshold of -10.2.
const FIXED = islands(
  'islands',
  sql`${rms_db} > ${parameter('threshold')}::real`,
  sql`${audioData} where ${within} and ${rms_db} > ${parameter('floor')}::real`,
);
// The lowest of all floors leaves out most points before they are matched with their half hour.
const ADAPTIVE = islands(
  'islands_above_background',
  sql`${rms_db} > half_hours.threshold`,
  sql`${audioData} join unnest(${parameter('starts')}::timestamptz[], ${parameter('floors')}::real[],
      ${parameter('thresholds')}::real[]) as half_hours (start, floor, threshold)
    on start = date_bin('30 minutes', ${time}, '1970-01-01Z')
    where ${within} and ${rms_db} > ${parameter('floor')}::real and ${rms_db} > half_hours.floor`,
);

/**
 * One pass back in time: an island ends where the point before is too far. `materialized` hides how few rows may be
 * wanted, or PostgreSQL would walk all the points by time to find them (page.ts).
 *
 * @param from points above the floor
 * @returns the statement that gives the islands, newest first. Within the range those that are no events stay away.
 */
function islands(name: string, isLoud: SQL, from: SQL) {
  const micros = (name: string) => sql`${parameter(name)}::float8 * interval '1 microsecond'`;
  return compile(
    sql`
  with above as materialized (
    select ${time}, ${isLoud} as is_loud from ${from}
    order by ${time} desc fetch first (${parameter('most_points')}::bigint) rows with ties
  ),
  ordered as (
    select time, lead(time) over back as before, first_value(time) over back as newest,
      min(time) filter (where is_loud) over back as loud, row_number() over back as points
    from above window back as (order by time desc rows unbounded preceding)
  ),
  islands as (
    select time as first, coalesce(lag(before) over (order by time desc), newest) as last, newest, before, loud, points
    from ordered where before is null or time - before > ${micros('hold')}
  )
  select ${instantText(sql`first`)} as first, ${instantText(sql`last`)} as last,
    case when loud <= last then ${instantText(sql`loud`)} end as loud, points
  from islands
  where before is null or last = newest
    or (loud <= last and last - loud + ${micros('slack')} >= ${micros('min_duration')})
  order by islands.first desc limit ${parameter('most_islands')}`,
    name,
  );
}

interface Row {
  readonly first: string;
  readonly last: string;
  readonly loud: string | null;
  /** From the newest of the range to its first. */
  readonly points: number;
}

/** What a range holds, newest first. */
interface Islands {
  readonly islands: Island[];
  /** How many points above the floor were looked at. */
  readonly points: number;
  /** How many levels the half hours have whose backgrounds were asked for. */
  readonly counted: number;
  /** From when on all islands are there. */
  readonly from: bigint;
}

/** @param mostPoints where there are more, the oldest are left out */
export async function readIslands(
  store: Store,
  range: Range,
  criteria: Criteria,
  mostPoints: number,
): Promise<Islands> {
  const { values, counted } = await valuesAbove(store, range, criteria);
  if (!values) return { islands: [], points: 0, counted, from: range.from };
  const { hold_seconds, min_duration_seconds, spacing_seconds } = criteria;
  const rows = await store.db.query<Row>(criteria.threshold === null ? ADAPTIVE : FIXED, {
    ...values,
    from: boundOf(range.from),
    to: boundOf(range.to),
    most_points: mostPoints,
    most_islands: MOST_ISLANDS,
    hold: Number(microsIn(hold_seconds)),
    slack: Number(microsIn(Math.max(hold_seconds, spacing_seconds ?? 0))),
    min_duration: Number(microsIn(min_duration_seconds)),
  });
  const islands = rows.map(({ first, last, loud }) => ({
    first: microsOf(first),
    last: microsOf(last),
    loud: loud === null ? null : microsOf(loud),
  }));
  const oldest = islands.at(-1);
  return {
    islands,
    points: Number(rows.at(-1)?.points ?? 0),
    counted,
    from: oldest && rows.length === MOST_ISLANDS ? oldest.first : range.from,
  };
}

/** @returns the values that say which points are above; undefined where none can be */
async function valuesAbove(
  store: Store,
  range: Range,
  criteria: Criteria,
): Promise<{ values?: Values; counted: number }> {
  const { threshold, hysteresis } = criteria;
  if (threshold !== null) {
    const floor = Math.fround(threshold - hysteresis);
    return { values: { threshold: Math.fround(threshold), floor }, counted: 0 };
  }
  const halfHours = await halfHoursWithin(store, { ...range, from: range.from - HALF_HOUR });
  const loud = [...halfHours].flatMap(([start, { max_db }]) => {
    const threshold = thresholdOf(start, halfHours, criteria);
    // max_db is rounded
    if (threshold === null || max_db + 0.1 < threshold - hysteresis) return [];
    return [{ start, threshold: Math.fround(threshold), floor: Math.fround(threshold - hysteresis) }];
  });
  const counted = [...halfHours.values()].reduce((sum, { level_count }) => sum + level_count, 0);
  if (loud.length === 0) return { counted };
  const values = {
    starts: `{${loud.map(({ start }) => instantOfMicros(start)).join()}}`,
    floors: `{${loud.map(({ floor }) => floor).join()}}`,
    thresholds: `{${loud.map(({ threshold }) => threshold).join()}}`,
    floor: loud.reduce((lowest, { floor }) => Math.min(lowest, floor), 0),
  };
  return { values, counted };
}
