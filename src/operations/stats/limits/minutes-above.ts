// Counts the minutes whose Leq is above a level, between neighbouring instants of a list.
import type { Range } from '../../../contract/instant.ts';
import { wholeBuckets } from '../../../contract/ranges.ts';
import { type SQL, sql } from '../../../database/drizzle.ts';
import { FLOOR, LEVEL, rollupsOf } from '../../../database/rollups.ts';
import type { RollupQuery } from '../../../rollups/rollup-planner.ts';
import { selectsOf, unionAll, unionOfPoints } from '../../../rollups/source-scans.ts';
import { binned } from '../buckets.ts';

export interface MinutesAbove {
  /** The minutes that have a level. */
  readonly measured: number;
  /** Minutes above even if levels at the floor, which may have been lower, count as zero. */
  readonly above: number;
  /** Minutes above only if levels at the floor count as stored. */
  readonly undecided: number;
}

export const NO_MINUTES: MinutesAbove = { measured: 0, above: 0, undecided: 0 };

/**
 * @param range in microseconds since 1970
 * @param cuts canonical instants in order; the first is not after `from`, the last not before `to`
 * @param levels in dB, one for each stretch between two cuts; null if nothing counts as above
 * @returns the counts of the minutes (UTC) wholly in the range, for each stretch. A minute that a cut divides belongs
 *   to the stretch in which it begins, with all its points. A minute that an exclusion touches does not count
 */
export function minutesAbove(
  range: Range,
  cuts: readonly string[],
  levels: readonly (number | null)[],
): RollupQuery<StretchMinutes, MinutesAbove[]> {
  const bounds = sql`${`{${cuts.join()}}`}::timestamptz[]`;
  const powers = sql`${`{${levels.map((level) => (level === null ? 'null' : 10 ** (level / 10))).join()}}`}::float8[]`;
  const isAbove = (sum: SQL) => sql`coalesce(${sum} > level_count * (${powers})[index], false)`;
  return {
    ranges: wholeBuckets([range], 60),
    wholeSeconds: 60,
    usable: rollupsOf('total').filter(({ seconds }) => seconds === 60),
    select: ({ raw, rollups }) => sql`
  select index, count(*) as measured,
    count(*) filter (where ${isAbove(sql`above_power_sum`)}) as above,
    count(*) filter (where ${isAbove(sql`power_sum`)} and not ${isAbove(sql`above_power_sum`)}) as undecided
  from (
    select width_bucket(minute, ${bounds}) as index, level_count, power_sum, above_power_sum
    from (${unionAll([
      unionOfPoints(
        raw,
        sql`${binned(sql`time`, 60)} as minute, count(rms_db) as level_count,
          sum(power(10::float8, rms_db::float8 / 10)) as power_sum,
          sum(power(10::float8, rms_db::float8 / 10)) filter (where ${LEVEL} > ${FLOOR}) as above_power_sum`,
        sql` group by 1`,
      ),
      ...selectsOf(rollups, sql`bucket, level_count, power_sum, above_power_sum`),
    ])}) as minutes
    where level_count > 0
  ) as indexed
  group by 1`,
    answer: (rows) => {
      const found = new Map(rows.map(({ index, ...minutes }) => [index, minutes]));
      return levels.map((_, at) => found.get(at + 1) ?? NO_MINUTES);
    },
  };
}

interface StretchMinutes extends MinutesAbove {
  /** The number of the stretch: 1 lies between the first and the second cut. */
  readonly index: number;
}
