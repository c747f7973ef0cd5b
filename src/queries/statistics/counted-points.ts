// How statements count points.
import { sql } from '../../db/drizzle.ts';
import { CEILING, FLOOR } from '../../statistics/histogram.ts';

/** The level of a point in tenths of a dB. */
export const LEVEL = sql.raw('(rms_db::float8 * 10)::int');
const [FLOOR_LEVEL, CEILING_LEVEL] = [FLOOR, CEILING].map((level) => sql.raw(String(level)));

/**
 * The totals of some points, as audio_data_totals (drizzle/0003) has them of a bucket.
 *
 * Sums of floats depend on their order. So levels add up as whole numbers of 2^-32 dB, which is exact for a real
 * below -0.002 dB: avg_db is the same in any order. The power stays a float: the last digits of leq_db may differ
 * with the pieces.
 */
export const TOTALS_OF_POINTS = sql`
      count(*) as point_count,
      count(rms_db) as level_count,
      sum((rms_db::float8 * 4294967296)::bigint) as level_sum,
      min(rms_db) as min_db,
      max(rms_db) as max_db,
      sum(power(10::float8, rms_db::float8 / 10)) as power_sum,
      sum(power(10::float8, rms_db::float8 / 10)) filter (where ${LEVEL} > ${FLOOR_LEVEL}) as above_power_sum,
      count(*) filter (where is_silence) as silence_count,
      count(*) filter (where ${LEVEL} = ${FLOOR_LEVEL}) as under_range,
      count(*) filter (where ${LEVEL} = ${CEILING_LEVEL}) as clipped`;

export const TOTALS_OF_TOTALS = sql.raw(`
      coalesce(sum(point_count), 0) as point_count,
      coalesce(sum(level_count), 0) as level_count,
      sum(level_sum) as level_sum,
      min(min_db) as min_db,
      max(max_db) as max_db,
      sum(power_sum) as power_sum,
      sum(above_power_sum) as above_power_sum,
      coalesce(sum(silence_count), 0) as silence_count,
      coalesce(sum(under_range), 0) as under_range,
      coalesce(sum(clipped), 0) as clipped`);
