// What the level chart shows, and the readings of its places.
import type { Outputs } from '../../client/index.ts';
import { countText, levelText, rangeText, signedText, timeText } from '../locale-format.ts';
import type { Interval } from '../state/interval.ts';
import type { LimitStep } from '../state/limit-steps.ts';
import { levelOf, type Scale } from '../state/scale.ts';
import { texts } from '../texts/texts.ts';
import { bucketSeconds, middlesOf } from './bucket-times.ts';

export type Series = Outputs['stats']['series'];
export type EventSeries = Outputs['events']['series'];
export type NoiseEvent = Outputs['events']['top']['events'][number];
export type Point = Outputs['audio']['range']['points'][number];

export interface ChartData {
  readonly interval: Interval;
  readonly series: Series;
  /** All points of a short interval, in place of the buckets in the line. */
  readonly points: readonly Point[] | undefined;
  /** The same interval some time before, and how long before in milliseconds. */
  readonly before: { readonly series: Series; readonly by: number } | undefined;
  readonly events: EventSeries | undefined;
  /** The event that was chosen. */
  readonly chosen: NoiseEvent | undefined;
  readonly limits: readonly LimitStep[];
  readonly scale: Scale;
  /** Null when events are measured against the background. */
  readonly threshold: number | null;
  /** Whether the reader chose the threshold: it is then drawn, and has a handle. */
  readonly isChosen: boolean;
  readonly timeZone: string;
}

/** The times in seconds since 1970, and the levels of the line. */
export function lineOf({ series, points, interval, scale }: ChartData): [number[], (number | null)[]] {
  if (points) return [points.map(({ time }) => Date.parse(time) / 1000), points.map(({ rms_db }) => rms_db)];
  return [middlesOf(series, interval), series.buckets.map((bucket) => levelOf(bucket, scale))];
}

/** How many places the line has. */
export const placesOf = ({ series, points }: ChartData) => (points ?? series.buckets).length;

/** @returns the time of a place of the line; undefined where it has no such place */
export const timeAt = ({ series, points }: ChartData, place: number): string | undefined =>
  (points ?? series.buckets)[place]?.time;

/** @returns the place of a time; null where the line has none */
export function placeAt({ series, points }: ChartData, time: string | null): number | null {
  const place = (points ?? series.buckets).findIndex((each) => each.time === time);
  return place < 0 ? null : place;
}

/** @returns the middle of what a place stands for, in milliseconds since 1970 */
export function middleAt(data: ChartData, place: number): number | undefined {
  const seconds = lineOf(data)[0][place];
  return seconds === undefined ? undefined : seconds * 1000;
}

/** The bucket of events in which a time lies. */
export function eventsAt({ events }: ChartData, ms: number) {
  if (!events) return undefined;
  const length = bucketSeconds(events.bucket) * 1000;
  return events.buckets.find(({ time }) => Date.parse(time) <= ms && ms < Date.parse(time) + length);
}

/** The times, the levels and the noise events of a place. */
export function readingAt(data: ChartData, place: number): string {
  const { series, points, scale } = data;
  const level = (db: number | null) => levelText(db, scale);
  const point = points?.[place];
  if (point) return `${timeText(point.time, 'tenth')}: ${level(point.rms_db)} ${scale.unit}`;
  const bucket = series.buckets[place];
  if (!bucket) return '';
  const { time, l10_db, l90_db, min_db, max_db, point_count } = bucket;
  const from = Date.parse(time);
  const to = from + bucketSeconds(series.bucket) * 1000;
  const exceeded = l10_db === null ? '' : `, L10 ${level(l10_db)}, L90 ${level(l90_db)}`;
  const figures =
    point_count === 0
      ? texts.noPoints
      : `${scale.level} ${level(levelOf(bucket, scale))}${exceeded}, ${texts.level.range(level(min_db), level(max_db))} ${scale.unit}`;
  const { event_count = 0, peak_db = null } = eventsAt(data, from) ?? {};
  const events =
    event_count === 0 ? '' : texts.level.eventsHere(event_count, countText(event_count), level(peak_db));
  return `${rangeText(from, to)}: ${figures}${differenceAt(data, place)}${events}`;
}

/** How much louder a bucket is than the one that it is compared with. */
function differenceAt({ series, before, scale }: ChartData, place: number): string {
  const here = series.buckets[place];
  const level = here && levelOf(here, scale);
  if (!before || !here || level == null) return '';
  const time = Date.parse(here.time) - before.by;
  const then = before.series.buckets.findLast((bucket) => Date.parse(bucket.time) <= time);
  const levelThen = then && levelOf(then, scale);
  return levelThen == null ? '' : texts.level.difference(signedText(level - levelThen));
}
