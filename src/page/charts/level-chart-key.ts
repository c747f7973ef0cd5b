// The key of the level chart: what its marks mean, in its legend, on paper and in pictures.
import type { Scale } from '../../contract/shown-scale.ts';
import { countText, settingText, zoneNames } from '../locale-format.ts';
import { DAY_MS } from '../state/view-in-address.ts';
import { bucketText } from './bucket-times.ts';
import type { ChartData } from './level-chart-data.ts';

/** Marks, each also a class of style.css and, with `--` before it, a colour. */
export type Mark = 'leq' | 'band' | 'extremes' | 'before' | 'limit' | 'event' | 'threshold';

/** Drawn as lines. */
export const LINES: ReadonlySet<Mark> = new Set(['leq', 'before', 'limit', 'threshold']);

export type Key = readonly (readonly [mark: Mark, meaning: string])[];

/** Such as `In dBFS, of 2 min each, times in CET`. */
export const chartText = ({ scale, points, series, interval }: ChartData) =>
  `In ${scale.unit}, ${points ? 'each point' : `of ${bucketText(series.bucket)} each`}, times in ${zoneNames(interval.from, interval.to)}`;

export function keyOf({ series, events, before, limits, points, threshold, scale }: ChartData): Key {
  const hasLevels = series.buckets.some(({ l90_db }) => l90_db !== null);
  const key: (readonly [Mark, string])[] = [
    ['leq', points ? 'level' : 'Leq'],
    ['band', hasLevels ? 'L10 to L90' : 'minimum to maximum'],
  ];
  if (hasLevels) key.push(['extremes', 'minimum to maximum']);
  if (before) key.push(['before', before.by < 2 * DAY_MS ? 'Leq a day before' : 'Leq a week before']);
  if (limits.length > 0) key.push(['limit', 'limit']);
  key.push(['event', events ? `noise events: ${countText(events.event_count)}` : 'noise events']);
  key.push(['threshold', thresholdText(threshold, scale)]);
  return key;
}

const thresholdText = (threshold: number | null, scale: Scale) =>
  threshold === null ? 'threshold over the background' : `threshold ${settingText(threshold, scale)}`;
