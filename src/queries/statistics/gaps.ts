// Finds the gaps of an interval: the stretches without a point.
import { floorTo, type Interval, instantOfMicros, microsOf } from '../../contract/instant.ts';
import { MAX_GAPS, type QualityOutput } from '../../contract/quality.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { instantText } from '../../db/statement-values.ts';
import { binned } from '../../store/bucket-times.ts';
import { readParts, usableRollups } from '../../store/rollup-planner.ts';
import { type Sources, selectsOf, timestamp, unionAll } from '../../store/source-scans.ts';
import type { Store } from '../../store/store.ts';
import { gapsByMinute, MOST_READ } from './gaps-by-minute.ts';
import { totalsBetween } from './totals-between.ts';

type Gaps = Pick<QualityOutput, 'gap_count' | 'gap_seconds' | 'gaps'>;

export const NO_GAPS: Gaps = { gap_count: 0, gap_seconds: 0, gaps: [] };

/** The most points that are read for gaps which seconds cannot tell: two seconds of work. */
const MOST_READ_BY_SECOND = 8_000_000;

/** More points would have to be looked at than `most`. */
export class TooManyGaps extends Error {
  readonly most: number;

  constructor(most: number) {
    super(`More than ${most} points would have to be looked at`);
    this.name = 'TooManyGaps';
    this.most = most;
  }
}

/**
 * @param minSeconds how long a stretch must be, a millisecond or more
 * @returns the stretches between points of `[from, to)` that follow one another; both ends count as points
 * @throws TooManyGaps where stretches are about that long all over a long interval
 */
export async function gaps(
  store: Store,
  interval: Interval,
  minSeconds: number,
  mostRead?: number,
): Promise<Gaps> {
  const run = emptySeconds(minSeconds);
  const isBySecond = (await store.rollups.timescaledb()) !== undefined;
  const most = mostRead ?? (isBySecond ? MOST_READ_BY_SECOND : MOST_READ);
  if (isBySecond && run === 0) {
    if ((await countOf(store, interval)) > most) throw new TooManyGaps(most);
  }
  const { rows } = await readParts<Gaps>(store, interval, {
    select: (sources) =>
      isBySecond
        ? gapsBySecond(sources, interval, minSeconds, run)
        : gapsByMinute(sources, interval, minSeconds, most),
    usable: isBySecond && run === 0 ? [] : usableRollups('presence'),
  });
  const [found] = rows;
  if (!found) throw new TooManyGaps(most);
  return found;
}

/** How many points there are: the rollups tell, of whole hours. */
async function countOf(store: Store, interval: Interval): Promise<number> {
  const from = floorTo(microsOf(interval.from), HOUR);
  const to = -floorTo(-microsOf(interval.to), HOUR);
  const [totals] = await totalsBetween(store, interval, [from, to].map(instantOfMicros));
  return totals?.point_count ?? 0;
}

const HOUR = 3_600_000_000n;

/**
 * On TimescaleDB: how many seconds in a row a gap leaves empty within one minute, at least. It empties one second less
 * than its whole seconds; if they cross the end of a minute, at least half lie on one side. 0 if minutes cannot tell.
 */
function emptySeconds(minSeconds: number): number {
  return Math.ceil((Math.min(Math.floor(minSeconds), 61) - 1) / 2);
}

/** A bit for each second of a minute that has points, as audio_data_presence_1m (drizzle/0003) stores them. */
const FULL = sql.raw(String(2n ** 60n - 1n));

/**
 * Minutes tell where gaps can be, and only the points there are read. A minute can hold a part of a gap if so many of
 * its seconds in a row are empty, or if the next minute has no point. A day that has points in all its minutes, and
 * none of these, is not searched minute by minute.
 */
function gapsBySecond({ rollups }: Sources, interval: Interval, minSeconds: number, run: number): SQL {
  const [from, to] = [timestamp(microsOf(interval.from)), timestamp(microsOf(interval.to))];
  const minutes = selectsOf(rollups, sql`bucket, seconds`);
  const zones =
    minutes.length > 0 ? zonesOf(minutes, from, to, run) : sql`select tstzrange(${from}, ${to}) as zone`;
  return sql`
  with zones as materialized (select zone, row_number() over () as number from (${zones}) as zones),
  times as (
    select number, time from zones cross join lateral (
      select time from audio_data
      where time >= lower(zone) and time < upper(zone) and time >= ${from} and time < ${to}
      offset 0
    ) as points
    union all select number, lower(zone) from zones where lower(zone) = ${from}
    union all select number, upper(zone) from zones where upper(zone) = ${to}
  ),
  gaps as (
    select since, until, extract(epoch from until - since)::float8 as seconds
    from (
      select time as until, lag(time) over back as since, number = lag(number) over back as is_within
      from times window back as (order by time)
    ) as stretches
    where is_within and until - since >= ${`${minSeconds} s`}::interval
  ),
  longest as (select * from gaps order by seconds desc, since limit ${sql.raw(String(MAX_GAPS))})
  select (select count(*) from gaps) as gap_count,
    (select coalesce(extract(epoch from sum(until - since))::float8, 0) from gaps) as gap_seconds,
    (select coalesce(json_agg(json_build_object(
      'from', ${instantText(sql`since`)}, 'to', ${instantText(sql`until`)}, 'seconds', seconds
    ) order by since), '[]') from longest) as gaps`;
}

/** @returns the select of the ranges that can hold gaps: each begins and ends with a point or an end of the interval */
function zonesOf(minutes: SQL[], from: SQL, to: SQL, run: number): SQL {
  const [day, minute] = [sql`interval '24 hours'`, sql`interval '1 minute'`];
  const hasHole = sql`(seconds <> ${FULL} and strpos(seconds::bit(60)::text, ${'0'.repeat(run)}) > 0)`;
  return sql`
    with minutes as not materialized (
      select bucket, seconds, ${binned(sql`bucket`, 86_400)} as day
      from (${unionAll(minutes)}) as minutes
    ),
    days as materialized (
      select day, count(*) = 1440 and not bool_or(${hasHole}) as is_whole,
        lag(day) over back as before, lead(day) over back as after
      from minutes group by day window back as (order by day)
    ),
    neighbours as (
      select day, bucket, seconds, lag(bucket) over back as before, lead(bucket) over back as after
      from minutes where day in (select day from days where not is_whole)
      window back as (partition by day order by bucket)
    ),
    wide (since, until) as (
      select coalesce(before + ${day} - ${minute}, ${from}), day + ${minute} from days
      where before is null or before < day - ${day}
      union all
      select day + ${day} - ${minute}, ${to} from days where after is null
      union all
      select coalesce(before, day - ${minute}), coalesce(after, day + ${day}) + ${minute} from neighbours
      where before is null or after is null or after > bucket + ${minute} or ${hasHole}
    )
    select unnest(coalesce(
      range_agg(tstzrange(greatest(since, ${from}), least(until, ${to})))
        filter (where greatest(since, ${from}) < least(until, ${to})),
      tstzmultirange(tstzrange(${from}, ${to}))
    )) as zone
    from wide`;
}
