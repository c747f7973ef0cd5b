// Finds the changes of the point spacing within an interval.
import { type Interval, instantOfMicros, microsOf } from '../../contract/instant.ts';
import type { Spacing } from '../../contract/spacings.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { rollupsOf } from '../../db/rollups.ts';
import { audioData } from '../../db/schema.ts';
import { instantText } from '../../db/statement-values.ts';
import type { RollupQuery } from '../../store/rollup-planner.ts';
import { type Sources, selectsOf, timestamp, unionAll, unionOfPoints } from '../../store/source-scans.ts';
import { medianDistance, SPACING_TIMES } from '../points/spacing-at.ts';
import { binned } from './buckets.ts';

/** The lengths of pieces by the length of the interval, both in seconds. */
const PIECES = [
  { upTo: 6 * 3600, seconds: 60 },
  { upTo: 86_400, seconds: 300 },
  { upTo: 7 * 86_400, seconds: 1800 },
  { upTo: 31 * 86_400, seconds: 3600 },
  { upTo: 366 * 86_400, seconds: 43_200 },
  { upTo: Number.POSITIVE_INFINITY, seconds: 86_400 },
];

/** An interval of up to this many seconds has few points, so the spacing is measured in each of ten equal pieces. */
const SHORT_SECONDS = 600;
const SHORT_PIECES = 10;

/** The most pieces at which the spacing is measured. */
const MOST_PIECES = 500;

/** Spacings that differ by at most this share of the larger one count as equal. */
const TOLERANCE = 0.2;

/**
 * The stretches of nearly constant spacing, oldest first, each up to the next. None if there are fewer than two times.
 *
 * The interval is cut into pieces aligned to the clock, or into ten if it is short. The spacing of a piece is the
 * median gap between the first 21 times from its start on, completed by the last times before. A short interval is
 * measured in all pieces; others in the first three, the last, and each whose number of points differs from the piece
 * before by more than 2 and more than a tenth, plus the two after it. Pieces without points are ignored. A stretch
 * begins at a piece whose spacing differs from the previous stretch by more than a fifth, if the next measured piece
 * agrees. So neither a gap nor a change in a single piece begins a stretch.
 */
export function spacingsIn(interval: Interval): RollupQuery<PieceSpacing, Spacing[]> {
  const [from, to] = [microsOf(interval.from), microsOf(interval.to)];
  const seconds = Number(to - from) / 1e6;
  const piece = PIECES.find(({ upTo }) => seconds <= upTo)?.seconds ?? 60;
  const isShort = seconds <= SHORT_SECONDS;
  return {
    ranges: [{ from, to }],
    usable: rollupsOf('total').filter(
      ({ seconds }) => seconds === piece || (piece % seconds === 0 && (seconds === 3600 || seconds === 60)),
    ),
    select: (sources) =>
      spacingsAt(
        isShort ? tenths(from, to) : whereCountsDiffer(sources, piece),
        timestamp(from),
        timestamp(to),
      ),
    answer: (rows) => stretchesOf(interval, rows),
  };
}

/** The start of a piece and its spacing in microseconds; null with fewer than two times in the interval. */
interface PieceSpacing {
  readonly start: string;
  readonly micros: number | null;
}

function stretchesOf(interval: Interval, rows: readonly PieceSpacing[]): Spacing[] {
  const pieces = rows
    .flatMap(({ start, micros }) => (micros === null ? [] : [{ from: start, spacing: micros }]))
    .sort((a, b) => (a.from < b.from ? -1 : 1));
  const starts: { from: string; spacing: number }[] = [];
  for (const [number, piece] of pieces.entries()) {
    const [last, next] = [starts.at(-1), pieces[number + 1]];
    if (!last) starts.push({ ...piece, from: interval.from });
    else if (differ(piece.spacing, last.spacing) && next && !differ(next.spacing, piece.spacing))
      starts.push(piece);
  }
  return starts.map(({ from, spacing }, number) => ({
    from,
    to: starts[number + 1]?.from ?? interval.to,
    spacing_seconds: spacing / 1e6,
  }));
}

const differ = (a: number, b: number) => Math.abs(a - b) > TOLERANCE * Math.max(a, b);

/** @returns the select of a {@link PieceSpacing} for each start */
function spacingsAt(starts: SQL, from: SQL, to: SQL): SQL {
  const most = sql.raw(String(SPACING_TIMES));
  const { time } = audioData;
  return sql`
  with sampled as materialized (${starts})
  select ${instantText(sql`start`)} as start, micros
  from sampled cross join lateral (
    with after as materialized (
      select distinct ${time} from ${audioData} where ${time} >= start and ${time} >= ${from} and ${time} < ${to}
      order by time limit ${most}
    ),
    times as (
      select time from after
      union all (
        select distinct ${time} from ${audioData} where ${time} < start and ${time} >= ${from} and ${time} < ${to}
        order by time desc limit ${most} - (select count(*) from after)
      )
    )
    ${medianDistance(sql`times`)}
  ) as measured`;
}

/** @returns the select of the starts of ten equal pieces */
function tenths(from: bigint, to: bigint): SQL {
  const starts = Array.from(
    { length: SHORT_PIECES },
    (_, n) => from + ((to - from) * BigInt(n)) / BigInt(SHORT_PIECES),
  );
  return sql`select unnest(${`{${[...new Set(starts)].map(instantOfMicros).join()}}`}::timestamptz[]) as start`;
}

/** @returns the select of the starts of the pieces at which to measure the spacing */
function whereCountsDiffer({ raw, rollups }: Sources, seconds: number): SQL {
  const counts = [
    unionOfPoints(
      raw,
      sql`${binned(sql`time`, seconds)} as start, count(*) as point_count`,
      sql` group by 1`,
    ),
    ...selectsOf(rollups, sql`${binned(sql`bucket`, seconds)}, sum(point_count)::bigint`, sql` group by 1`),
  ];
  return sql`
    with pieces as (
      select start, sum(point_count)::float8 as points from (${unionAll(counts)}) as counts group by start
    ),
    compared as (
      select start, lead(start) over back is null as is_last,
        coalesce(abs(points - lag(points) over back) > greatest(2, 0.1 * greatest(points, lag(points) over back)), true)
          as differs
      from pieces window back as (order by start)
    ),
    found as (
      select start, is_last, bool_or(differs) over (order by start rows 2 preceding) as is_near from compared
    ),
    numbered as (
      select start, is_last, row_number() over (order by start) - 1 as number, count(*) over () as piece_count
      from found where is_near or is_last
    )
    select start from numbered where is_last or number % ((piece_count + ${sql.raw(String(MOST_PIECES - 1))}) / ${sql.raw(String(MOST_PIECES))}) = 0`;
}
