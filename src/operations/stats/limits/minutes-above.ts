// Counts the minutes that are above a level, and finds the first at the ceiling, between neighbouring instants of a list.
import type { Range } from '../../../contract/instant.ts';
import type { Limit } from '../../../contract/limits.ts';
import { wholeBuckets } from '../../../contract/ranges.ts';
import { instantText, type SQL, sql } from '../../../database/drizzle.ts';
import { FLOOR, LEVEL, rollupsOf } from '../../../database/rollups.ts';
import type { RollupQuery } from '../../../rollups/rollup-planner.ts';
import { isBeside, type Scan, selectsOf, unionAll, unionOfPoints } from '../../../rollups/source-scans.ts';
import { binned } from '../buckets.ts';
import { leastOver, ROUNDING_DB } from './limit-state.ts';

export interface MinutesAbove {
  readonly measured: number;
  /** Minutes above even if levels at the floor, which may have been lower, count as zero. */
  readonly above: number;
  /** Minutes above only if levels at the floor count as stored. */
  readonly undecided: number;
  /** Minutes whose highest level is at least the maximum. */
  readonly maxima: number;
  /** The start of the first minute with a level at the ceiling, canonical. */
  readonly first_at_ceiling: string | null;
}

export const NO_MINUTES: MinutesAbove = {
  measured: 0,
  above: 0,
  undecided: 0,
  maxima: 0,
  first_at_ceiling: null,
};

/** @returns the levels from which minutes of a limit are over; null if they are not compared */
export function minuteLimits(
  of: { readonly limit: Limit; readonly hasMaxima: boolean } | undefined,
  offset_db: number | null,
  uncertaintyDb: number | null,
): MinuteLimits {
  if (!of || offset_db === null) return { leq_db: null, max_db: null };
  const { limit_db, max_limit_db } = of.limit;
  return {
    leq_db: limit_db - offset_db + ROUNDING_DB,
    max_db:
      of.hasMaxima && max_limit_db !== null ? max_limit_db - offset_db + leastOver(uncertaintyDb) : null,
  };
}

/** What the minutes of a stretch are compared with, dB; null if nothing counts as above. */
export interface MinuteLimits {
  readonly leq_db: number | null;
  readonly max_db: number | null;
}

const COLUMNS = sql`bucket as minute, level_count, power_sum, above_power_sum, max_db, clipped`;

/** A minute of history may have later points. */
function together(history: readonly Scan[]): SQL[] {
  const sum = (name: string) =>
    sql.raw(`coalesce(gone.${name} + later.${name}, gone.${name}, later.${name})`);
  const [levels, power, abovePower, clipped] = ['level_count', 'power_sum', 'above_power_sum', 'clipped'].map(
    sum,
  );
  return [
    sql`select * from later where ${isBeside(history, sql`minute`)}`,
    sql`select gone.minute, ${levels}, ${power}, ${abovePower}, greatest(gone.max_db, later.max_db), ${clipped}
      from (${unionAll(selectsOf(history, COLUMNS))}) as gone left join later on later.minute = gone.minute`,
  ];
}

/**
 * @param range in microseconds since 1970
 * @param cuts canonical instants in order; the first is not after `from`, the last not before `to`
 * @param limits one for each stretch between two cuts
 * @returns the counts of the minutes (UTC) wholly in the range, for each stretch. A minute that a cut divides belongs
 *   to the stretch in which it begins, with all its points. A minute that an exclusion touches does not count
 */
export function minutesAbove(
  range: Range,
  cuts: readonly string[],
  limits: readonly MinuteLimits[],
): RollupQuery<MinutesAbove & { index: number }, MinutesAbove[]> {
  const bounds = sql`${`{${cuts.join()}}`}::timestamptz[]`;
  const list = (values: readonly (number | null)[]) =>
    sql`(${`{${values.map((value) => value ?? 'null').join()}}`}::float8[])[index]`;
  const power = list(limits.map(({ leq_db }) => (leq_db === null ? null : 10 ** (leq_db / 10))));
  const maximum = list(limits.map(({ max_db }) => max_db));
  const isAbove = (sum: SQL) => sql`coalesce(${sum} > level_count * ${power}, false)`;
  return {
    ranges: wholeBuckets([range], 60),
    wholeSeconds: 60,
    usable: rollupsOf('total').filter(({ seconds }) => seconds === 60),
    history: [1],
    select: ({ raw, rollups, history }) => sql`
  with later as materialized (${unionOfPoints(
    raw,
    sql`${binned(sql`time`, 60)} as minute, count(rms_db) as level_count,
      sum(power(10::float8, rms_db::float8 / 10)) as power_sum,
      sum(power(10::float8, rms_db::float8 / 10)) filter (where ${LEVEL} > ${FLOOR}) as above_power_sum,
      max(rms_db) as max_db, count(*) filter (where ${LEVEL} = 0) as clipped`,
    sql` group by 1`,
  )})
  select index, count(*) as measured,
    count(*) filter (where ${isAbove(sql`above_power_sum`)}) as above,
    count(*) filter (where ${isAbove(sql`power_sum`)} and not ${isAbove(sql`above_power_sum`)}) as undecided,
    count(*) filter (where max_db >= ${maximum}) as maxima,
    ${instantText(sql`min(minute) filter (where clipped > 0)`)} as first_at_ceiling
  from (
    select width_bucket(minute, ${bounds}) as index, minutes.*
    from (${unionAll([
      ...(history.length > 0 ? together(history) : [sql`select * from later`]),
      ...selectsOf(rollups, COLUMNS),
    ])}) as minutes
    where level_count > 0
  ) as indexed
  group by 1`,
    answer: (rows) => {
      const found = new Map(rows.map(({ index, ...minutes }) => [index, minutes]));
      return limits.map((_, at) => found.get(at + 1) ?? NO_MINUTES);
    },
  };
}
