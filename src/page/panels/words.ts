// An interval in words: what a person asks first, in one line.
import type { Outputs } from '../../client/index.ts';
import type { Scale } from '../../contract/shown-scale.ts';
import {
  countText,
  decibelText,
  leqText,
  levelText,
  limitText,
  NOTHING,
  percentText,
  settingText,
  timeText,
  zoneName,
} from '../locale-format.ts';

export interface WordsData {
  readonly summary: Outputs['stats']['summary'];
  /** Undefined where the service cannot count them. */
  readonly top: Outputs['events']['top'] | undefined;
  readonly quality: Outputs['stats']['quality'];
  /** Undefined where none apply, or they are not known. */
  readonly limits: Outputs['stats']['limits'] | undefined;
  readonly scale: Scale;
  /** When the highest level was; null where it is not known. */
  readonly loudestAt: string | null;
}

/** What events lie over, such as `over −20.0` or `15 dB over the background`. */
export function ruleText(
  { threshold, above_background }: { threshold?: number | null; above_background?: number | null },
  scale: Scale,
): string {
  return threshold == null
    ? `${above_background} dB over the background`
    : `over ${settingText(threshold, scale)}`;
}

/** Such as `22:00–06:00 over the limit of 45 by 2.1`, of the one that is exceeded most. */
function limitsText({ summary, limits }: WordsData): readonly string[] {
  if (limits?.from !== summary.from || limits.to !== summary.to) return []; // one is still of another interval
  const [most] = limits.limits
    .flatMap(({ excess_db, ...limit }) => (excess_db === null ? [] : { excess_db, ...limit }))
    .toSorted((a, b) => b.excess_db - a.excess_db);
  if (!most) return [];
  return most.excess_db >= 0.05
    ? [
        `${most.start}–${most.end} over the limit of ${limitText(most.limit_db)} by ${decibelText(most.excess_db)}`,
      ]
    : ['within the limits'];
}

function eventsText(top: WordsData['top'], scale: Scale): string {
  if (!top) return 'events not counted';
  const events = top.event_count === 1 ? '1 event' : `${countText(top.event_count)} events`;
  return `${events} ${ruleText(top, scale)}`;
}

/** Such as `Leq −33.9 dBFS, loudest −4.4 at 02:14, 12 events over −20.0, measured 99.6 %`. */
export function wordsOf(data: WordsData): string {
  const { summary, top, quality, scale, loudestAt } = data;
  const measured = `measured ${percentText(quality.coverage_percent)}`;
  if (summary.point_count === 0) return `no points, ${measured}`;
  const isShort = Date.parse(summary.to) - Date.parse(summary.from) <= 86_400_000;
  const at = loudestAt
    ? ` at ${timeText(loudestAt, isShort ? 'clock' : 'minute')} ${zoneName(loudestAt)}`
    : '';
  return [
    `Leq ${leqText(summary, scale)} ${scale.unit}`,
    summary.max_db === null ? `loudest ${NOTHING}` : `loudest ${levelText(summary.max_db, scale)}${at}`,
    ...limitsText(data),
    eventsText(top, scale),
    measured,
  ].join(', ');
}
