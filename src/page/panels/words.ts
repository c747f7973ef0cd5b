// An interval in words: what a person asks first, in one line.
import type { Outputs } from '../../client/index.ts';
import {
  countText,
  leqText,
  levelText,
  NOTHING,
  percentText,
  type Scale,
  settingText,
  timeText,
  zoneName,
} from '../locale-format.ts';
import type { View } from '../state/view-in-address.ts';

export interface WordsData {
  readonly summary: Outputs['stats']['summary'];
  readonly top: Outputs['events']['top'];
  readonly quality: Outputs['stats']['quality'];
  readonly scale: Scale;
  /** When the highest level was; null where it is not known. */
  readonly loudestAt: string | null;
}

/** What events lie over, such as `over −20.0` or `15 dB over the background`. */
export function ruleText({ threshold, aboveBackground }: View, scale: Scale): string {
  return aboveBackground === null
    ? `over ${settingText(threshold, scale)}`
    : `${aboveBackground} dB over the background`;
}

/** Such as `Leq −33.9 dBFS, loudest −4.4 at 02:14, 12 events over −20.0, measured 99.6 %`. */
export function wordsOf({ summary, top, quality, scale, loudestAt }: WordsData, view: View): string {
  const measured = `measured ${percentText(quality.coverage_percent)}`;
  if (summary.point_count === 0) return `no points, ${measured}`;
  const isShort = Date.parse(summary.to) - Date.parse(summary.from) <= 86_400_000;
  const at = loudestAt
    ? ` at ${timeText(loudestAt, isShort ? 'clock' : 'minute')} ${zoneName(loudestAt)}`
    : '';
  const events = top.event_count === 1 ? '1 event' : `${countText(top.event_count)} events`;
  return [
    `Leq ${leqText(summary, scale)} ${scale.unit}`,
    summary.max_db === null ? `loudest ${NOTHING}` : `loudest ${levelText(summary.max_db, scale)}${at}`,
    `${events} ${ruleText(view, scale)}`,
    measured,
  ].join(', ');
}
