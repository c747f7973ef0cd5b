// Counts the levels at the floor and at the ceiling in each bucket of a list, rounded to 0.1 dB.
import { sql } from '../../db/drizzle.ts';
import { rollupsOf } from '../../db/rollups.ts';
import { CEILING, FIRST_LEVEL, FLOOR } from '../../statistics/histogram.ts';
import type { BoundedTotals } from '../../statistics/totals.ts';
import type { Question } from '../../store/rollup-planner.ts';
import { selectsOf, unionAll, unionOfPoints } from '../../store/source-scans.ts';
import type { Buckets } from './buckets.ts';
import { LEVEL } from './counted-points.ts';

type OutOfRange = Pick<BoundedTotals, 'under_range' | 'clipped'>;

const [FIRST, LAST] = [FLOOR, CEILING].map((level) => sql.raw(`levels[${level - FIRST_LEVEL + 1}]`));

/** Of each bucket, in order. */
export function outOfRange(
  buckets: Buckets,
): Question<OutOfRange & { readonly place: number }, OutOfRange[]> {
  const { starts, ranges, isPart, keyOf, placeOf } = buckets;
  const counted = (level: number) => sql`(${LEVEL} = ${sql.raw(String(level))})::int`;
  return {
    ranges,
    // days of UTC are no parts of local days
    usable: rollupsOf('histogram').filter(({ seconds }) => isPart(seconds) && seconds < 86_400),
    select: ({ raw, rollups }) => sql`
  select ${placeOf(sql`key`)} as place, sum(floor)::bigint as under_range, sum(ceiling)::bigint as clipped
  from (${unionAll([
    unionOfPoints(
      raw,
      sql`${keyOf(sql`time`)} as key, ${counted(FLOOR)} as floor, ${counted(CEILING)} as ceiling`,
      sql` and rms_db is not null`,
    ),
    ...selectsOf(rollups, sql`${keyOf(sql`bucket`)}, ${FIRST}, ${LAST}`),
  ])}) as counted
  group by key`,
    answer: (rows) => {
      const counts = starts.map((): OutOfRange => ({ under_range: 0, clipped: 0 }));
      for (const { place, ...row } of rows) counts[place] = row;
      return counts;
    },
  };
}
