// Reads the runs of points above a level in a range: close neighbours belong to one run.
import { microsOf, type Range } from '../../contract/instant.ts';
import { boundOf } from '../../contract/ranges.ts';
import { compile, instantText, parameter, type SQL, sql } from '../../database/drizzle.ts';
import { audioData } from '../../database/schema.ts';
import { periodSpacing } from '../../points/point-times.ts';
import { newestMinutes } from '../../points/points-above.ts';
import type { Store } from '../../rollups/store.ts';
import { type Criteria, holdsOf, microsIn } from './event-criteria.ts';
import { ABOVE_BACKGROUND, ABOVE_LEVEL, type PointsAbove, valuesAbove } from './points-above-floor.ts';

/** Points above threshold - hysteresis, each within the hold of the one before. Times are microseconds since 1970. */
export interface Run {
  /** The first and the last point above threshold - hysteresis. */
  readonly first: bigint;
  readonly last: bigint;
  /** The first point above the threshold; null if there is none. */
  readonly loud: bigint | null;
  /** The hold of the last point, in microseconds. */
  readonly hold: bigint;
  /** The highest level from `loud` on; null without `loud`, or if peaks were not requested. */
  readonly peak: number | null;
  /** The highest level; null if peaks were not requested. */
  readonly top: number | null;
}

/** In ranges over ten minutes, the maxima of minutes find points faster than the index on time. */
const LONG_MICROS = 600_000_000n;

/** Roughly how many points a search by minutes may read to find `points` of them above the floor. */
const readAtOnce = (points: number) => Math.min(Math.max(20_000, 2 * points), 500_000);

/** The most runs that a statement returns: a page needs far fewer. */
const MOST_RUNS = 10_000;

const { time, rms_db } = audioData;

/** Hides the small limit, or PostgreSQL would walk all points by time to find the rows (page.ts). */
const HIDDEN = sql`materialized`;

const micros = (number: SQL) => sql`${number} * interval '1 microsecond'`;
const given = (name: string) => sql`${parameter(name)}::float8`;

/** The spacing at a time, in microseconds. */
const spacingAt = (time: SQL) => sql`
    case when ${parameter('needs_spacings')}::boolean
      then coalesce((${periodSpacing(sql`since <= ${time}`)}), ${given('usual_spacing')}) end`;

/** The hold of a point, given the spacing at its time. An unknown spacing is null and has no effect. */
const holdBy = (spacing: SQL) =>
  sql`least(${given('longest_hold')}, greatest(${given('shortest_hold')}, 2 * ${spacing}))`;

const statementsOf = ({ isLoud, amongAll, inMinutes, minutes }: PointsAbove, name: string) => ({
  amongAll: runsStatement(`runs_${name}`, isLoud, amongAll, HIDDEN),
  inMinutes: runsStatement(`runs_${name}_in_minutes`, isLoud, inMinutes),
  newestMinutes: newestMinutes(minutes, `minutes_${name}`),
});
const FIXED = statementsOf(ABOVE_LEVEL, 'above_level');
const ADAPTIVE = statementsOf(ABOVE_BACKGROUND, 'above_background');

/**
 * Reads back in time, in one pass. The previous point belongs to another run if it is too far back.
 *
 * @param from points above the floor
 * @param hiding {@link HIDDEN}, if PostgreSQL could walk all the points
 * @returns the statement for the runs, newest first, without runs inside the range that cannot be events
 */
function runsStatement(name: string, isLoud: SQL, from: SQL, hiding = sql``) {
  return compile(
    sql<RunRow>`
  with above as ${hiding} (
    select ${time}, ${rms_db}, ${isLoud} as is_loud from ${from}
    order by ${time} desc fetch first (${parameter('most_points')}::bigint) rows with ties
  ),
  ordered as (
    select time, lead(time) over back as before, max(time) over back as newest,
      min(time) filter (where is_loud) over back as loud, row_number() over back as points
    from above window back as (order by time desc rows unbounded preceding)
  ),
  apart as (
    select *, ${spacingAt(sql`coalesce(before, newest)`)} as spacing from ordered
    where before is null or time - before > ${micros(given('shortest_hold'))}
  ),
  runs as (
    select time as first, coalesce(lag(before) over back, newest) as last, newest, before, loud, points,
      case when lag(before) over back is null then ${spacingAt(sql`newest`)} else lag(spacing) over back end as spacing
    from apart where before is null or time - before > ${micros(holdBy(sql`spacing`))}
    window back as (order by time desc)
  ),
  numbered as (
    select *, case when loud <= last then loud end as event_start, row_number() over (order by runs.first) as index from runs
  ),
  peaks as (
    select index, max(rms_db) as top, max(rms_db) filter (where time >= event_start) as peak
    from (
      select width_bucket(time, (select array_agg(runs.first order by runs.first) from runs)) as index, time, rms_db
      from above where ${parameter('needs_peaks')}::boolean
    ) as indexed join numbered using (index)
    group by 1
  )
  select ${instantText(sql`first`)} as first, ${instantText(sql`last`)} as last,
    ${instantText(sql`event_start`)} as loud, points, ${holdBy(sql`spacing`)} as hold, peak, top
  from numbered left join peaks using (index)
  where before is null or last = newest or (
    loud <= last and last - loud + ${micros(sql`greatest(${holdBy(sql`spacing`)}, ${spacingAt(sql`loud`)})`)} >= ${micros(given('min_duration'))}
  )
  order by numbered.first desc limit ${parameter('most_runs')}`,
    name,
  );
}

interface RunRow {
  readonly first: string;
  readonly last: string;
  readonly loud: string | null;
  /** The number of points from the newest point of the range to the first point of this run. */
  readonly points: number;
  readonly hold: number;
  readonly peak: number | null;
  readonly top: number | null;
}

interface RunsInRange {
  readonly runs: Run[];
  readonly points: number;
  /** The number of levels counted for the backgrounds. */
  readonly counted: number;
  /** The number of points in the minutes that guide the search; 0 if none do. */
  readonly read: number;
  /** The runs are complete from this time to the end of the range. */
  readonly from: bigint;
}

/** @param mostPoints reads only the newest points if there are more. @param needsPeaks finds the peak of each run */
export async function readRuns(
  store: Store,
  range: Range,
  criteria: Criteria,
  mostPoints: number,
  needsPeaks = false,
): Promise<RunsInRange> {
  const inUse = await store.rollups.inUse();
  const { values, counted } = await valuesAbove(store, range, criteria);
  if (!values) return { runs: [], points: 0, counted, read: 0, from: range.from };
  const { hold_seconds, min_duration_seconds } = criteria;
  const { shortest, longest } = holdsOf(criteria);
  const statements = 'starts' in values ? ADAPTIVE : FIXED;
  const isLong = range.to - range.from > LONG_MICROS;
  const inMinutes = isLong && inUse;
  const bounds = { from: boundOf(range.from), to: boundOf(range.to) };
  const most = readAtOnce(mostPoints);
  const [newest] = inMinutes
    ? await store.db.query(statements.newestMinutes, { ...values, ...bounds, most })
    : [];
  const read = newest?.points ?? 0;
  const since = newest?.since != null && read >= most ? microsOf(newest.since) : range.from;
  const rows = await store.db.query(inMinutes ? statements.inMinutes : statements.amongAll, {
    ...values,
    ...bounds,
    from: boundOf(since),
    most_points: mostPoints,
    most_runs: MOST_RUNS,
    usual_spacing: criteria.spacing_seconds === null ? null : criteria.spacing_seconds * 1e6,
    shortest_hold: Number(shortest),
    longest_hold: Number(longest),
    needs_spacings: hold_seconds === null || min_duration_seconds > 0,
    min_duration: Number(microsIn(min_duration_seconds)),
    needs_peaks: needsPeaks,
  });
  const runs = rows.map(({ first, last, loud, hold, peak, top }) => ({
    first: microsOf(first),
    last: microsOf(last),
    loud: loud === null ? null : microsOf(loud),
    hold: BigInt(hold),
    peak,
    top,
  }));
  const oldest = runs.at(-1);
  const points = Number(rows.at(-1)?.points ?? 0);
  const isCut = rows.length === MOST_RUNS || points >= mostPoints;
  return { runs, points, counted, read, from: oldest && isCut ? oldest.first : since };
}
