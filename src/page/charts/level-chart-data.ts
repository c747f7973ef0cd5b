// The data of the level chart, the readings at its positions, and the key that explains its marks.
import type { Outputs } from '../../client/index.ts';
import { parseDuration } from '../../contract/instant.ts';
import type { Bucket } from '../../operations/stats/series/contract.ts';
import { levelText, rangeText, timeText, windowText, zoneNames } from '../locale-format.ts';
import type { TimeSpan } from '../state/calendar-intervals.ts';
import { type LimitStep, levelOf, type Scale } from '../state/site.ts';
import { texts } from '../texts/texts.ts';

export type Series = Outputs['stats']['series'];

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
  readonly series: Series;
  /** All points of a short interval, drawn in place of buckets. */
  readonly points: Outputs['audio']['range']['points'] | undefined;
  readonly limits: readonly LimitStep[];
  readonly nights: readonly TimeSpan[];
  readonly parts: readonly PartLevel[];
  readonly blanks: readonly Blank[];
  readonly scale: Scale;
  readonly timeZone: string;
}

/** A stretch of the line of levels, in milliseconds since 1970. */
export interface Step extends TimeSpan {
  readonly time: string;
  readonly level: number | null;
}

/** A point lasts until the next one, at most this long, in milliseconds. */
const MOST_POINT_MS = 2000;

/** The steps of the line: one per bucket or point. */
export function lineSteps({ series, points, scale }: ChartData): Step[] {
  if (!points) return timed(series).map((bucket) => ({ ...bucket, level: levelOf(bucket, scale) }));
  return points.map(({ time, rms_db: level }, index) => {
    const from = Date.parse(time);
    const next = Date.parse(points[index + 1]?.time ?? '');
    return { time, level, from, to: Math.min(next || Number.POSITIVE_INFINITY, from + MOST_POINT_MS) };
  });
}

/** The middles of the steps within the interval in seconds since 1970, and their levels. */
export function lineOf(data: ChartData): [number[], (number | null)[]] {
  const steps = lineSteps(data);
  return [steps.map((step) => middleOf(step, data.interval) / 1000), steps.map(({ level }) => level)];
}

const middleOf = ({ from, to }: TimeSpan, interval: TimeSpan) =>
  (Math.max(from, interval.from) + Math.min(to, interval.to)) / 2;

export const positionCount = ({ series, points }: ChartData) => (points ?? series.buckets).length;

/** @returns the time at a position of the line; undefined if the line has no such position */
export const timeAt = ({ series, points }: ChartData, index: number): string | undefined =>
  (points ?? series.buckets)[index]?.time;

/** @returns the position of a time; null if the line has none */
export function indexAt({ series, points }: ChartData, time: string | null): number | null {
  const index = (points ?? series.buckets).findIndex((each) => each.time === time);
  return index < 0 ? null : index;
}

/** @returns the middle of a position's point or bucket, in milliseconds since 1970 */
export function middleAt(data: ChartData, index: number): number | undefined {
  const step = lineSteps(data)[index];
  return step && middleOf(step, data.interval);
}

/** The times and the levels at a position. */
export function readingAt(data: ChartData, index: number): string {
  const { series, points, scale } = data;
  const level = (db: number | null) => levelText(db, scale);
  const point = points?.[index];
  if (point) return `${timeText(point.time, 'tenth')}: ${level(point.rms_db)} ${scale.unit}`;
  const bucket = series.buckets[index];
  if (!bucket) return '';
  const { time, l10_db, l90_db, min_db, max_db, point_count } = bucket;
  const from = Date.parse(time);
  const exceeded = l10_db === null ? '' : `, L10 ${level(l10_db)}, L90 ${level(l90_db)}`;
  const figures =
    point_count === 0
      ? texts.noPoints
      : `${scale.level} ${level(levelOf(bucket, scale))}${exceeded}, ${texts.level.range(level(min_db), level(max_db))} ${scale.unit}`;
  return `${rangeText(from, from + lengthOf(series.bucket))}: ${figures}`;
}

/** Without the contract's table of lengths: its schemas would enlarge the bundle. */
const lengthOf = (bucket: Bucket) => parseDuration(bucket) ?? Number.NaN;

interface Buckets<Each> {
  readonly bucket: Bucket;
  readonly buckets: readonly Each[];
}

/** @returns the buckets of an answer with their ends, in milliseconds since 1970 */
export function timed<Each extends { time: string }>({ bucket, buckets }: Buckets<Each>) {
  const length = lengthOf(bucket);
  return buckets.map((each): Each & TimeSpan => {
    const from = Date.parse(each.time);
    return { ...each, from, to: from + length };
  });
}

/** The middle of each bucket's part within the interval, in seconds since 1970. */
export const middlesOf = (answer: Buckets<{ time: string }>, interval: TimeSpan) =>
  timed(answer).map((bucket) => middleOf(bucket, interval) / 1000);

const { key } = texts;

/** Marks. Each is also a class of style.css and, with a `--` prefix, a colour. */
type Mark = 'leq' | 'band' | 'loudest' | 'limit' | 'over' | 'night' | 'blank';

export type ChartKey = readonly (readonly [mark: Mark, meaning: string])[];

/** For example `dB(A), per 5 min, CET`. */
export const chartText = ({ scale, points, series, interval }: ChartData) =>
  texts.level.each(
    scale.unit,
    points ? '' : windowText(lengthOf(series.bucket)),
    zoneNames(interval.from, interval.to),
  );

export function keyOf({ series, limits, points, scale, nights, blanks }: ChartData): ChartKey {
  const hasLevels = series.buckets.some(({ l90_db }) => l90_db !== null);
  const marks: (readonly [Mark, string, unknown?])[] = [
    ['leq', points ? key.level : scale.level],
    ['band', hasLevels ? key.exceeded : key.extremes, !points],
    ['loudest', key.loudest, !points],
    ['limit', key.limit, limits.length],
    ['over', key.over, limits.length],
    ['night', key.night, nights.length],
    ['blank', key.blank, blanks.length],
  ];
  return marks.flatMap(([mark, meaning, isShown = true]) => (isShown ? [[mark, meaning] as const] : []));
}
