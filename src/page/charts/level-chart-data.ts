// The data of the level chart, the readings at its positions, and the key that explains its marks.
import type { Outputs } from '../../client/index.ts';
import { DEFAULT_ABOVE_BACKGROUND_DB } from '../../contract/default-event-rule.ts';
import { parseDuration } from '../../contract/instant.ts';
import type { Bucket } from '../../operations/stats/series/contract.ts';
import { countText, levelText, rangeText, timeText, windowText, zoneNames } from '../locale-format.ts';
import type { TimeSpan } from '../state/calendar-intervals.ts';
import { type LimitStep, levelOf, type Scale } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import type { TimeData } from './time-chart.ts';

export type Series = Outputs['stats']['series'];
export type EventSeries = Outputs['events']['series'];
export type ListedEvent = Outputs['events']['top']['events'][number];

export interface ChartData extends TimeData {
  readonly series: Series;
  /** All points of a short interval, which the line shows instead of buckets. */
  readonly points: Outputs['audio']['range']['points'] | undefined;
  readonly events: EventSeries | undefined;
  /** The selected event. */
  readonly chosen: ListedEvent | undefined;
  readonly limits: readonly LimitStep[];
  readonly scale: Scale;
  readonly timeZone: string;
}

/** The times in seconds since 1970, and the levels of the line. */
export function lineOf({ series, points, interval, scale }: ChartData): [number[], (number | null)[]] {
  if (points) return [points.map(({ time }) => Date.parse(time) / 1000), points.map(({ rms_db }) => rms_db)];
  return [middlesOf(series, interval), series.buckets.map((bucket) => levelOf(bucket, scale))];
}

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
  const seconds = lineOf(data)[0][index];
  return seconds === undefined ? undefined : seconds * 1000;
}

/** The events bucket that contains a time. */
export const eventsAt = ({ events }: ChartData, ms: number) =>
  events && timed(events).find(({ from, to }) => from <= ms && ms < to);

/** The times, the levels and the noise events at a position. */
export function readingAt(data: ChartData, index: number): string {
  const { series, points, scale } = data;
  const level = (db: number | null) => levelText(db, scale);
  const point = points?.[index];
  if (point) return `${timeText(point.time, 'tenth')}: ${level(point.rms_db)} ${scale.unit}`;
  const bucket = series.buckets[index];
  if (!bucket) return '';
  const { time, l10_db, l90_db, min_db, max_db, point_count } = bucket;
  const from = Date.parse(time);
  const to = from + lengthOf(series.bucket);
  const exceeded = l10_db === null ? '' : `, L10 ${level(l10_db)}, L90 ${level(l90_db)}`;
  const figures =
    point_count === 0
      ? texts.noPoints
      : `${scale.level} ${level(levelOf(bucket, scale))}${exceeded}, ${texts.level.range(level(min_db), level(max_db))} ${scale.unit}`;
  const { event_count = 0, peak_db = null } = eventsAt(data, from) ?? {};
  const events =
    event_count === 0 ? '' : texts.level.eventsHere(event_count, countText(event_count), level(peak_db));
  return `${rangeText(from, to)}: ${figures}${events}`;
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
  timed(answer).map(({ from, to }) => (Math.max(from, interval.from) + Math.min(to, interval.to)) / 2000);

const { key } = texts;

/** Marks. Each is also a class of style.css and, with a `--` prefix, a colour. */
type Mark = 'leq' | 'band' | 'extremes' | 'limit' | 'over' | 'event';

/** Marks drawn as lines. */
export const LINES: ReadonlySet<Mark> = new Set(['leq', 'limit']);

export type ChartKey = readonly (readonly [mark: Mark, meaning: string])[];

/** For example `In dBFS, a value per 2 min, times in CET`. */
export const chartText = ({ scale, points, series, interval }: ChartData) =>
  texts.level.each(
    scale.unit,
    points ? '' : windowText(lengthOf(series.bucket)),
    zoneNames(interval.from, interval.to),
  );

export function keyOf({ series, events, limits, points, scale }: ChartData): ChartKey {
  const hasLevels = series.buckets.some(({ l90_db }) => l90_db !== null);
  const marks: (readonly [Mark, string])[] = [
    ['leq', points ? key.level : scale.level],
    ['band', hasLevels ? key.exceeded : key.extremes],
  ];
  if (hasLevels) marks.push(['extremes', key.extremes]);
  if (limits.length > 0) marks.push(['limit', key.limit], ['over', key.over]);
  const event = key.event(DEFAULT_ABOVE_BACKGROUND_DB);
  marks.push(['event', events ? `${event}: ${countText(events.event_count)}` : event]);
  return marks;
}
