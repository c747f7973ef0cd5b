// Points streamed in the last few minutes, and the buckets that they add to a series.
import type { Outputs, Point } from '../../client/index.ts';
import { instantOf } from '../../contract/instant.ts';
import { RANGE_DB } from './site.ts';

type Series = Outputs['stats']['series'];
type Bucket = Series['buckets'][number];

export interface LiveTail {
  /** From this time on (UTC), every point is present; null before the stream begins. */
  readonly since: string | null;
  /** In order of time. */
  readonly points: readonly Point[];
}

/** A change to a tail: drops points from a time on, then adds others. */
export interface TailChange {
  /** Null to drop none. */
  readonly restartFrom: string | null;
  readonly points: readonly Point[];
}

export const NO_TAIL: LiveTail = { since: null, points: [] };

/** How long the tail keeps points, and how many. */
const [KEPT_MS, MOST_POINTS] = [120_000, 20_000];

export function changeTail(
  { since, points }: LiveTail,
  { restartFrom, points: added }: TailChange,
): LiveTail {
  const kept = restartFrom === null ? points : points.filter(({ time }) => time < restartFrom);
  const begin = since === null || (restartFrom !== null && restartFrom < since) ? restartFrom : since;
  const all = [...kept, ...added].sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  const newest = all.at(-1);
  if (begin === null || !newest) return { since: begin, points: all };
  const byAge = instantOf(Date.parse(newest.time) - KEPT_MS);
  const byCount = all.at(-MOST_POINTS)?.time ?? begin;
  const first = [begin, byAge, byCount].reduce((latest, time) => (time > latest ? time : latest));
  return { since: first, points: all.filter(({ time }) => time >= first) };
}

/**
 * Continues a series up to `to` with the points of a tail, like stats.series but with levels alone, without exceeded ones. If both have
 * a bucket, the one with more points wins, because the series may lack late points.
 *
 * @param seconds the length of a bucket, which divides a minute
 * @param to in milliseconds since 1970, not before the series ends
 * @returns the unchanged series if points between it and the tail are unknown
 */
export function continueSeries(series: Series, seconds: number, tail: LiveTail, to: number): Series {
  const length = seconds * 1000;
  const last = series.buckets.at(-1);
  if (!last || tail.since === null) return series;
  const first = (Math.floor(Date.parse(tail.since) / length) + 1) * length; // the first whole bucket
  const next = Date.parse(last.time) + length;
  if (first > next) return series;
  const byTime = new Map(
    bucketsOf(tail.points, series.scale, { length, from: first, to }).map((bucket) => [bucket.time, bucket]),
  );
  const known = series.buckets.map((bucket) => {
    const streamed = byTime.get(bucket.time);
    return streamed && streamed.point_count > bucket.point_count ? streamed : bucket;
  });
  const further = [...byTime.values()].filter(({ time }) => time > last.time);
  return { ...series, to: instantOf(to), buckets: [...known, ...further] };
}

/** The buckets that start in `[from, to)`, from the points before `to`. */
function bucketsOf(
  points: readonly Point[],
  scale: Series['scale'],
  { length, from, to }: { length: number; from: number; to: number },
): Bucket[] {
  const end = instantOf(to);
  const groups = new Map<number, Point[]>();
  for (let start = from; start < to; start += length) groups.set(start, []);
  for (const point of points)
    if (point.time < end) groups.get(Math.floor(Date.parse(point.time) / length) * length)?.push(point);
  return [...groups].map(([start, members]) => bucketOf(instantOf(start), members, scale));
}

function bucketOf(
  time: string,
  points: readonly Point[],
  { floor_db, energy_unavailable }: Series['scale'],
): Bucket {
  const levels = points.flatMap(({ rms_db }) => rms_db ?? []);
  // add up the stored `real` values
  const offset = floor_db + RANGE_DB;
  const exact = levels.map((level) => Math.fround(level - offset) + offset);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [min, max] = [Math.min(...levels), Math.max(...levels)];
  const within = (level: number) => Math.max(Math.min(level, max), min);
  const has = levels.length > 0;
  return {
    time,
    point_count: points.length,
    max_db: has ? max : null,
    min_db: has ? min : null,
    leq_db: has && !energy_unavailable ? within(10 * Math.log10(mean(exact.map(powerOf)))) : null,
    // the chart does not show these
    avg_db: null,
    silence_percent: null,
    dominant_frequency_hz: null,
    leq_low_db: null,
    l10_db: null,
    l50_db: null,
    l90_db: null,
  };
}

const powerOf = (level: number) => 10 ** (level / 10);
