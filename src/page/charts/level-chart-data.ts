// The data of the level chart, the readings at its positions, and the key that explains its marks.
import type { Outputs } from '../../client/index.ts';
import { parseDuration } from '../../contract/instant.ts';
import type { Bucket } from '../../operations/stats/series/contract.ts';
import { levelText, rangeText, timeText, windowText, zoneNames } from '../locale-format.ts';
import type { TimeSpan } from '../state/calendar-intervals.ts';
import { type LimitStep, levelOf, type Scale } from '../state/site.ts';
import { texts } from '../texts/texts.ts';

type Series = Outputs['stats']['series'];
type Points = Outputs['audio']['range']['points'];

/** The level of a whole part of the day. */
export interface PartLevel extends TimeSpan {
  readonly db: number;
  readonly isOver: boolean;
  /** Written above the part if there is room. */
  readonly label: string;
}

/** Time without levels, for example a gap. */
export interface Blank extends TimeSpan {
  readonly label: string;
}

export interface ChartData {
  readonly interval: TimeSpan;
  /** A chart on paper has a fixed width and more pixels. */
  readonly isOnPaper: boolean;
  /** The line of levels: a step per bucket or, in a short interval, per point. */
  readonly steps: readonly Step[];
  /** The length of a bucket in milliseconds; null if each step is a point. */
  readonly bucketMs: number | null;
  readonly limits: readonly LimitStep[];
  readonly nights: readonly TimeSpan[];
  readonly parts: readonly PartLevel[];
  readonly blanks: readonly Blank[];
  readonly scale: Scale;
  readonly timeZone: string;
}

interface Step extends TimeSpan {
  readonly time: string;
  readonly level: number | null;
  /** Undefined for a point. */
  readonly bucket?: Series['buckets'][number];
  /** The middle of the part within the interval, in milliseconds since 1970. */
  readonly middle: number;
}

/** A point lasts until the next one, at most this long, in milliseconds. */
const MOST_POINT_MS = 2000;

/** @param points all points of a short interval, drawn in place of buckets */
export function lineSteps(
  series: Series,
  points: Points | undefined,
  scale: Scale,
  interval: TimeSpan,
): Step[] {
  const steps = points
    ? points.map(({ time, rms_db: level }, index) => {
        const from = Date.parse(time);
        const next = Date.parse(points[index + 1]?.time ?? '');
        return { time, level, from, to: Math.min(next || Number.POSITIVE_INFINITY, from + MOST_POINT_MS) };
      })
    : timed(series).map(({ from, to, ...bucket }) => ({
        ...{ time: bucket.time, level: levelOf(bucket, scale), from, to },
        bucket,
      }));
  return steps.map((step) => ({
    ...step,
    middle: (Math.max(step.from, interval.from) + Math.min(step.to, interval.to)) / 2,
  }));
}

/** The times and the levels of a step. */
export function readingOf({ time, from, to, level, bucket }: Step, { scale }: ChartData): string {
  const text = (db: number | null) => levelText(db, scale);
  if (!bucket) return `${timeText(time, 'tenth')}: ${text(level)} ${scale.unit}`;
  const { l10_db, l90_db, min_db, max_db, point_count } = bucket;
  const exceeded = l10_db === null ? '' : `, L10 ${text(l10_db)}, L90 ${text(l90_db)}`;
  const figures =
    point_count === 0
      ? texts.noPoints
      : `${scale.level} ${text(level)}${exceeded}, ${texts.level.range(text(min_db), text(max_db))} ${scale.unit}`;
  return `${rangeText(from, to)}: ${figures}`;
}

/** Without the contract's table of lengths: its schemas would enlarge the bundle. */
export const bucketLength = (bucket: Bucket) => parseDuration(bucket) ?? Number.NaN;

/** @returns the buckets of an answer with their ends, in milliseconds since 1970 */
export function timed<Each extends { time: string }>({
  bucket,
  buckets,
}: {
  bucket: Bucket;
  buckets: Each[];
}) {
  const length = bucketLength(bucket);
  return buckets.map((each): Each & TimeSpan => {
    const from = Date.parse(each.time);
    return { ...each, from, to: from + length };
  });
}

const { key } = texts;

/** Marks. Each is also a class of style.css and, with a `--` prefix, a colour. */
type Mark = 'leq' | 'band' | 'loudest' | 'limit' | 'over' | 'night' | 'blank';

export type ChartKey = readonly (readonly [mark: Mark, meaning: string, isShown?: unknown])[];

/** For example `dB(A), per 5 min, CET`. */
export const chartText = ({ scale, bucketMs, interval }: ChartData) =>
  texts.level.each(
    scale.unit,
    bucketMs === null ? '' : windowText(bucketMs),
    zoneNames(interval.from, interval.to),
  );

export function keyOf({ steps, limits, bucketMs, scale, nights, blanks }: ChartData): ChartKey {
  const hasLevels = steps.some(({ bucket }) => bucket && bucket.l90_db !== null);
  const marks: ChartKey = [
    ['leq', bucketMs === null ? key.level : scale.level],
    ['band', hasLevels ? key.exceeded : key.extremes, bucketMs],
    ['loudest', key.loudest, bucketMs],
    ['limit', key.limit, limits.length],
    ['over', key.over, limits.length],
    ['night', key.night, nights.length],
    ['blank', key.blank, blanks.length],
  ];
  return marks.filter(([, , isShown = true]) => isShown);
}
