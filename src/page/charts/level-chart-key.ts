// The key of the level chart, which explains its marks.
import { countText, ruleText, zoneNames } from '../locale-format.ts';
import { texts } from '../texts/texts.ts';
import { bucketText } from './bucket-times.ts';
import type { ChartData } from './level-chart-data.ts';

const { key } = texts;

/** Marks. Each is also a class of style.css and, with a `--` prefix, a colour. */
export type Mark = 'leq' | 'band' | 'extremes' | 'limit' | 'over' | 'event' | 'threshold';

/** Marks drawn as lines. */
export const LINES: ReadonlySet<Mark> = new Set(['leq', 'limit', 'threshold']);

export type ChartKey = readonly (readonly [mark: Mark, meaning: string])[];

/** For example `In dBFS, a value per 2 min, times in CET`. */
export const chartText = ({ scale, points, series, interval }: ChartData) =>
  texts.level.each(
    scale.unit,
    points ? '' : bucketText(series.bucket),
    zoneNames(interval.from, interval.to),
  );

export function keyOf({ series, events, limits, points, rule, isChosen, scale }: ChartData): ChartKey {
  const hasLevels = series.buckets.some(({ l90_db }) => l90_db !== null);
  const marks: (readonly [Mark, string])[] = [
    ['leq', points ? key.level : scale.level],
    ['band', hasLevels ? key.exceeded : key.extremes],
  ];
  if (hasLevels) marks.push(['extremes', key.extremes]);
  if (limits.length > 0) marks.push(['limit', key.limit], ['over', key.over]);
  const event = `${key.event} ${ruleText(rule, scale)}`;
  marks.push(['event', events ? `${event}: ${countText(events.event_count)}` : event]);
  if (isChosen) marks.push(['threshold', key.threshold]);
  return marks;
}
