// Selects points above the floor: the threshold minus the hysteresis, fixed or per half hour by its background.
import { instantOfMicros, type Range } from '../../contract/instant.ts';
import type { Values } from '../../database/database.ts';
import { parameter, type SQL, type SQLWrapper, sql } from '../../database/drizzle.ts';
import { audioData, tables } from '../../database/schema.ts';
import { inInterval } from '../../points/points.ts';
import { minutesWhose, pointsIn } from '../../points/points-above.ts';
import type { Store } from '../../rollups/store.ts';
import { backgroundsIn, HALF_HOUR } from '../stats/backgrounds.ts';
import { type Criteria, thresholdOf } from './event-criteria.ts';

/** How statements with the parameters `from`, `to` and {@link valuesAbove} find the points above the floor. */
export interface PointsAbove {
  /** A relation with the name and the columns of the points. */
  readonly amongAll: SQL;
  /** The same, found through the minutes that have such points. */
  readonly inMinutes: SQL;
  /** The select of these minutes. */
  readonly minutes: SQL;
  /** Whether one of the points is also above the threshold. */
  readonly isLoud: SQL;
}

const { time, rms_db } = audioData;

// Thresholds are reals like the column: a level that reads -10.2 is then not above a threshold of -10.2.
const isAboveFloor = sql`${rms_db} > ${parameter('floor')}::real`;
const amongAll = sql`(select * from ${tables.points} where ${inInterval} and ${isAboveFloor}) as ${audioData}`;
const minutes = minutesWhose(sql`max_db > ${parameter('floor')}::real`);

export const ABOVE_LEVEL: PointsAbove = {
  amongAll,
  inMinutes: pointsIn(minutes, isAboveFloor),
  minutes,
  isLoud: sql`${rms_db} > ${parameter('threshold')}::real`,
};

// The half hours that can have points above the floor.
const halfHours = sql`unnest(${parameter('starts')}::timestamptz[], ${parameter('floors')}::real[],
  ${parameter('thresholds')}::real[]) as half_hours (start, floor, threshold)`;
const halfHourOf = (time: SQLWrapper) => sql`date_bin('30 minutes', ${time}, '1970-01-01Z')`;
/** Before this join, the lowest floor has already removed most points. */
const inHalfHours = (points: SQL) =>
  sql`${points} join ${halfHours} on start = ${halfHourOf(time)} and ${rms_db} > half_hours.floor`;
const minutesInHalfHours = minutesWhose(
  sql`max_db > floor`,
  sql`join ${halfHours} on start = ${halfHourOf(sql`bucket`)}`,
);

export const ABOVE_BACKGROUND: PointsAbove = {
  amongAll: inHalfHours(amongAll),
  inMinutes: inHalfHours(pointsIn(minutesInHalfHours, isAboveFloor)),
  minutes: minutesInHalfHours,
  isLoud: sql`${rms_db} > half_hours.threshold`,
};

/** @returns the parameters of the statements that find points above the floor; undefined if none can exist */
export async function valuesAbove(
  store: Store,
  range: Range,
  criteria: Criteria,
): Promise<{ values?: Values; counted: number }> {
  const { threshold, hysteresis } = criteria;
  if (threshold !== null) {
    const values = { threshold: Math.fround(threshold), floor: Math.fround(threshold - hysteresis) };
    return { values, counted: 0 };
  }
  const backgrounds = await backgroundsIn(store, [range], true);
  const inRange = [...backgrounds.halfHours].filter(
    ([start]) => start + HALF_HOUR > range.from && start < range.to,
  );
  const loud = inRange.flatMap(([start, { max_db }]) => {
    const threshold = thresholdOf(backgrounds.of(start), criteria);
    // max_db is rounded
    if (threshold === null || max_db + 0.1 < threshold - hysteresis) return [];
    return [{ start, threshold: Math.fround(threshold), floor: Math.fround(threshold - hysteresis) }];
  });
  const counted = inRange.reduce((sum, [, { level_count }]) => sum + level_count, 0);
  if (loud.length === 0) return { counted };
  const values = {
    starts: `{${loud.map(({ start }) => instantOfMicros(start)).join()}}`,
    floors: `{${loud.map(({ floor }) => floor).join()}}`,
    thresholds: `{${loud.map(({ threshold }) => threshold).join()}}`,
    floor: loud.reduce((lowest, { floor }) => Math.min(lowest, floor), 0),
  };
  return { values, counted };
}
