// Finds the gaps of an interval, from what audio_data_presence (drizzle/0003) stores for each minute.
import { type Interval, microsOf } from '../../contract/instant.ts';
import { rangeOf } from '../../contract/ranges.ts';
import { instantText, sql } from '../../database/drizzle.ts';
import { HISTORY_MINUTES, rollupsOf } from '../../database/rollups.ts';
import { tables } from '../../database/schema.ts';
import type { RollupQuery } from '../../rollups/rollup-planner.ts';
import {
  instantValue,
  isBeside,
  type Scan,
  type Sources,
  selectsOf,
  unionAll,
  unionOfPoints,
} from '../../rollups/source-scans.ts';
import { binned } from './buckets.ts';
import { MAX_GAPS, type QualityOutput } from './quality/contract.ts';

/** The most points to read for the gaps within stored minutes: half a second of work. */
export const MOST_READ = 700_000;

/** @returns the select of the stored minutes, with the columns that {@link gapsByMinute} reads */
export const storedMinutes = ({ rollups, history }: Sources) =>
  unionAll([NONE, ...selectsOf(rollups, COLUMNS), ...(history.length > 0 ? [minutesOf(history)] : [])]);

/** A minute of history is measured from its start to its end. Half hours and days are read if none is missing in them. */
const minutesOf = (history: readonly Scan[]) => sql`
    select bucket, bucket, bucket + minutes * interval '1 minute', 0, 0, null, null, 0, null, null
    from (
      with gone as materialized (${unionAll(selectsOf(history, sql`bucket, minutes, minute_count`))})
      select bucket, minutes from gone where minute_count = minutes
      union all
      select part.bucket, part.minutes from gone join ${tables.history} as part
        on part.minutes = 1 and part.bucket >= gone.bucket and part.bucket < gone.bucket + gone.minutes * interval '1 minute'
      where gone.minute_count < gone.minutes
    ) as measured`;

/** The times of the points outside the minutes of history. */
export const timesOf = ({ raw, history }: Sources) =>
  sql`select time from (${unionOfPoints(raw, sql`time`)}) as points where ${isBeside(history, binned(sql`time`, 60))}`;

const COLUMNS = sql`bucket, first_at, last_at, gap_count, gap_micros, shortest, longest, longest_count,
  longest_at, second`;
const NONE = sql`
    select null::timestamptz as bucket, null::timestamptz as first_at, null::timestamptz as last_at, 0 as gap_count,
      0 as gap_micros, 0 as shortest, 0 as longest, 0 as longest_count,
      null::timestamptz as longest_at, 0 as second where false`;

/**
 * In a minute without a long enough gap, the first and last point are the ends of one stretch. In a minute whose gaps
 * are all long enough, their number and total length are stored. Points are read only in the other minutes.
 *
 * The longest gaps are found in the minutes with the longest stored gaps. A minute stores the time of its first
 * longest gap. If no other is as long, its points are read only if its second longest gap may be listed too.
 *
 * @returns the select of one row, or of no row if too many points would have to be read
 */
export function gapsByMinute(sources: Sources, interval: Interval, minSeconds: number, mostRead: number) {
  const [from, to] = [instantValue(microsOf(interval.from)), instantValue(microsOf(interval.to))];
  // a value, so that a client's choice does not make a new statement
  const least = sql`${String(Math.ceil(Number((minSeconds * 1e6).toFixed(3))))}::bigint`;
  const most = sql.raw(String(MAX_GAPS));
  return sql`
  with minutes as materialized (${storedMinutes(sources)}),
  ranked as materialized (
    select *, sum(longest_count) over (order by longest desc, bucket rows unbounded preceding) as up_to
    from minutes where longest >= ${least}
  ),
  split as materialized (
    select *, shortest < ${least} or up_to - longest_count < ${most} and (longest_count > 1
      or coalesce(second, -1) >= (select coalesce(max(longest) filter (where up_to >= ${most}), 0) from ranked)) as is_read
    from ranked
  ),
  read as materialized (
    select bucket from split where is_read and (select coalesce(sum(gap_count), 0) from split where is_read) <= ${sql.raw(String(mostRead))}
  ),
  stretches as (
    select first_at, last_at from minutes where longest is null or longest < ${least}
    union all select first_at, last_at from split where not is_read
    union all select time, time from (${timesOf(sources)}) as points
    union all select time, time from read cross join lateral (
      select time from ${tables.points} where time >= bucket and time < bucket + interval '1 minute' offset 0
    ) as points
    union all values (${from}, ${from}), (${to}, ${to})
  ),
  gaps as materialized (
    select since, until, (extract(epoch from until - since) * 1000000)::bigint as micros
    from (select first_at as until, lag(last_at) over (order by first_at, last_at) as since from stretches) as neighbours
    where until - since >= ${least} * interval '1 microsecond'
  ),
  longest as (
    select * from gaps
    union all
    select longest_at, longest_at + longest * interval '1 microsecond', longest from split
    where not is_read and up_to - longest_count < ${most}
    order by micros desc, since limit ${most}
  ),
  whole as (
    select coalesce(sum(gap_count), 0) as gap_count, coalesce(sum(gap_micros), 0) as gap_micros from split where not is_read
  )
  select (select count(*) from gaps) + gap_count as gap_count,
    ((select coalesce(sum(micros), 0) from gaps) + gap_micros)::float8 / 1000000 as gap_seconds,
    (select coalesce(json_agg(json_build_object('from', ${instantText(sql`since`)}, 'to', ${instantText(sql`until`)},
      'seconds', micros::float8 / 1000000) order by since), '[]') from longest) as gaps
  from whole where exists (select from read) or not exists (select from split where is_read)`;
}

/** The default minimum length of a gap: the larger of this many seconds and this many times the spacing. */
export const [LEAST_GAP_SECONDS, SPACINGS_IN_GAP] = [10, 5];

export const leastGap = (spacing_seconds: number | null) =>
  Math.max(LEAST_GAP_SECONDS, SPACINGS_IN_GAP * (spacing_seconds ?? 0));

/** @returns null for an interval of length zero */
export function coveragePercent({ from, to }: Interval, gapSeconds: number): number | null {
  const length = Number(microsOf(to) - microsOf(from)) / 1e6;
  return length > 0 ? Math.max(0, 100 * ((length - gapSeconds) / length)) : null;
}

type Gaps = Pick<QualityOutput, 'gap_count' | 'gap_seconds' | 'gaps'>;

/** More than `most` points would have to be read. */
export class TooManyGaps extends Error {
  readonly most: number;

  constructor(most: number) {
    super(`More than ${most} points would have to be read`);
    this.name = 'TooManyGaps';
    this.most = most;
  }
}

/**
 * @param minSeconds the minimum length of a gap, a millisecond or more
 * @returns the stretches between consecutive points of `[from, to)`; both ends count as points. `answer` throws
 *   TooManyGaps if many stretches of a long interval are about `minSeconds` long
 */
export function gapsIn(
  interval: Interval,
  minSeconds: number,
  mostRead = MOST_READ,
): RollupQuery<Gaps, Gaps> {
  return {
    ranges: [rangeOf(interval)],
    usable: rollupsOf('presence'),
    history: HISTORY_MINUTES,
    select: (sources) => gapsByMinute(sources, interval, minSeconds, mostRead),
    answer: ([found]) => {
      if (!found) throw new TooManyGaps(mostRead);
      return found;
    },
  };
}
