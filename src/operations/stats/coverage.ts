// Measures the coverage of each stretch between neighbouring instants of a list: the share that lies in no gap.

import { type Interval, instantOfMicros, microsOf, type Range } from '../../contract/instant.ts';
import { common, cutAt, earlier, later, rangeOf } from '../../contract/ranges.ts';
import { MAX_GAP_DAYS } from '../../contract/statistics.ts';
import { type SQL, sql } from '../../database/drizzle.ts';
import { HISTORY_MINUTES, rollupsOf } from '../../database/rollups.ts';
import { tables } from '../../database/schema.ts';
import type { Totals } from '../../rollups/histogram.ts';
import { nothingToRead, type RollupQuery } from '../../rollups/rollup-planner.ts';
import type { Sources } from '../../rollups/source-scans.ts';
import type { Store } from '../../rollups/store.ts';
import { intervalAt } from '../periods.ts';
import { minutesBetween } from './days/minutes-between.ts';
import {
  coveragePercent,
  LEAST_GAP_SECONDS,
  MOST_READ,
  SPACINGS_IN_GAP,
  storedMinutes,
  timesOf,
} from './gaps.ts';

export const isLongForGaps = ({ from, to }: Interval) =>
  microsOf(to) - microsOf(from) > BigInt(MAX_GAP_DAYS) * 86_400_000_000n;

/**
 * Intervals longer than {@link MAX_GAP_DAYS} have the share of minutes (UTC) with a point. If points are further apart,
 * each counts as that many minutes.
 *
 * @returns `counts`: the minutes of each stretch; `gaps`: a query whose answer `percents` needs besides the totals of the
 *   stretches, with their minutes; `percents` returns the same as {@link coverageBetween}
 */
export function measuredBetween(
  store: Store,
  interval: Interval,
  cuts: readonly string[],
  spacing_seconds: number | null,
) {
  const isLong = isLongForGaps(interval);
  const each = (end: string) => (intervalAt(store, end) ?? (spacing_seconds ?? 0) * 1000) / 60_000;
  const gaps: RollupQuery<unknown, (number | null)[]> = isLong
    ? nothingToRead([])
    : coverageBetween(interval, cuts, spacing_seconds);
  const counts = minutesBetween(rangeOf(interval), cuts);
  const percents = (totals: readonly Totals[], coverage: (number | null)[]) =>
    isLong
      ? counts.map(({ minutes }, at) => {
          const measured = (totals[at]?.minute_count ?? 0) * Math.max(1, each(cuts[at + 1] ?? ''));
          return minutes > 0 ? Math.min(100, (100 * measured) / minutes) : null;
        })
      : coverage;
  return { gaps, counts, percents };
}

/**
 * Gaps are those of stats.quality with the default length, which follows from the spacing at the end of a stretch. The
 * ends of stretches and of excluded ranges count as points. Excluded time is not measured.
 *
 * @param cuts canonical instants in order; the first is not after `from`, the last not before `to`
 * @param spacing_seconds the spacing at the end of stretches whose period does not give it
 * @param mostRead limits the points read from stored minutes: beyond it, the oldest of these minutes count as gaps
 * @returns the coverage between neighbouring cuts in percent; null outside `[from, to)`
 */
export function coverageBetween(
  { from, to }: Interval,
  cuts: readonly string[],
  spacing_seconds: number | null,
  mostRead = MOST_READ,
): RollupQuery<{ index: number; gap_seconds: number }, (number | null)[]> {
  const ends = cuts.map((cut) => later(from, earlier(cut, to)));
  const range = rangeOf({ from, to });
  return {
    ranges: from < to ? cutAt(range, ends.map(microsOf)) : [],
    usable: rollupsOf('presence'),
    history: HISTORY_MINUTES,
    select: (sources, excluded) =>
      gapsByStretch(sources, ends, excludedBetween(excluded, ends), spacing_seconds, mostRead),
    answer: (rows, _, excluded) => {
      const leftOut = excludedByStretch(excluded, ends);
      const gapsIn = new Map(rows.map(({ index, gap_seconds }) => [index, gap_seconds]));
      return ends
        .slice(1)
        .map((end, at) =>
          coveragePercent({ from: ends[at] ?? end, to: end }, (gapsIn.get(at + 1) ?? 0) + (leftOut[at] ?? 0)),
        );
    },
  };
}

/** The exclusions between the first and the last instant, cut at the instants in between. */
function excludedBetween(excluded: readonly Range[], ends: readonly string[]): Range[] {
  const stretches = ends.slice(1).map((to, at) => rangeOf({ from: ends[at] ?? to, to }));
  return common(stretches, excluded);
}

/** The excluded time between neighbouring instants. */
function excludedByStretch(excluded: readonly Range[], ends: readonly string[]): number[] {
  const seconds = ends.slice(1).map(() => 0);
  const bounds = ends.slice(1).map(microsOf);
  let index = 0;
  for (const { from, to } of excludedBetween(excluded, ends)) {
    while ((bounds[index] ?? to) <= from) index += 1;
    seconds[index] = (seconds[index] ?? 0) + Number(to - from) / 1e6;
  }
  return seconds;
}

/**
 * Reads points only in minutes with both gaps and shorter pauses, unless the gaps are equally long. For other minutes,
 * the rollup stores the missing time.
 */
function gapsByStretch(
  sources: Sources,
  ends: readonly string[],
  excluded: readonly Range[],
  spacing_seconds: number | null,
  mostRead: number,
): SQL {
  const list = (times: readonly string[]) => sql`(${`{${times.join()}}`}::timestamptz[])`;
  const cuts = list(ends);
  const [since, until] = [excluded.map(({ from }) => from), excluded.map(({ to }) => to)].map((times) =>
    list(times.map(instantOfMicros)),
  );
  const numbers = [LEAST_GAP_SECONDS * 1e6, SPACINGS_IN_GAP, mostRead];
  const [leastGap, spacings, most] = numbers.map((number) => sql.raw(String(number)));
  const micros = sql`(extract(epoch from until - since) * 1000000)::float8`;
  const usual = String((spacing_seconds ?? 0) * 1e6);
  const least = sql`(select leasts from measured)[index]`;
  const shortest = sql`(select min(least) from measured, unnest(leasts) as least)`;
  const isLong = sql`until - since >= ${shortest} * interval '1 microsecond'`;
  return sql`
  with periods as (
    select array_agg(since order by since) as starts, array_agg(nullif(interval_ms, 0) order by since) as intervals
    from ${tables.periods}
  ),
  measured as materialized (
    select array_agg(greatest(${leastGap}, ${spacings} * coalesce(1000 *
      intervals[width_bucket(until - interval '1 microsecond', starts)]::float8, ${usual}::float8)) order by index) as leasts
    from unnest(${cuts}[2:]) with ordinality as ends (until, index), periods
  ),
  minutes as not materialized (${storedMinutes(sources)}),
  stretches as (
    select first_at, last_at from minutes
    union all select time, time from (${timesOf(sources)}) as points
    union all select time, time from unnest(${cuts}) as time
    union all select * from unnest(${since}, ${until})
  ),
  gaps as materialized (
    select width_bucket(since, ${cuts}) as index, ${micros} as micros
    from (select first_at as until, lag(last_at) over (order by first_at, last_at) as since from stretches) as neighbours
    where ${isLong}
  ),
  uneven as materialized (
    select width_bucket(bucket, ${cuts}) as index, * from minutes where longest >= ${shortest}
  ),
  mixed as (
    select *, coalesce(second >= least and shortest < least, false) as is_mixed
    from (select *, ${least} as least from uneven) as judged where longest >= least
  ),
  split as materialized (
    select *, is_mixed and ${most} >=
      sum(gap_count) over (partition by is_mixed order by bucket desc rows unbounded preceding) as is_read from mixed
  ),
  within as (
    select index, ${micros} as micros
    from split cross join lateral (
      select time as until, lag(time) over (order by time) as since
      from ${tables.points} where time >= bucket and time < bucket + interval '1 minute' offset 0
    ) as neighbours where is_read and ${isLong}
  )
  select index, sum(micros) / 1000000 as gap_seconds
  from (
    select index, micros from (select * from gaps union all select * from within) as found where micros >= ${least}
    union all
    select index, case when second >= least then gap_micros else longest * longest_count end
    from split where not is_read
  ) as gaps group by index`;
}
