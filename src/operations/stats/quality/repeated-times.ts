// Counts points whose time another point has, as of files that were imported twice.
import type { Interval } from '../../../contract/instant.ts';
import { rangeOf } from '../../../contract/ranges.ts';
import { sql } from '../../../database/drizzle.ts';
import { rollupsOf } from '../../../database/rollups.ts';
import type { RollupQuery } from '../../../rollups/rollup-planner.ts';
import { selectsOf, unionAll, unionOfPoints } from '../../../rollups/source-scans.ts';

/** @returns the count of the points minus the count of their times */
export const repeatedIn = (interval: Interval): RollupQuery<{ repeated: number }, number> => ({
  ranges: [rangeOf(interval)],
  usable: rollupsOf('presence'),
  select: ({ raw, rollups }) => sql`
  select sum(repeated) as repeated from (
    select count(*) - count(distinct time) as repeated from (${unionOfPoints(raw, sql`time`)}) as points
    union all ${unionAll([sql`select 0`, ...selectsOf(rollups, sql`repeated`)])}
  ) as parts`,
  answer: ([found]) => found?.repeated ?? 0,
});
