// The rule for noise events: from the address, or else the service's default.
import { DEFAULT_ABOVE_BACKGROUND_DB } from '../../contract/default-event-rule.ts';
import type { TimeSpan } from './calendar-intervals.ts';
import { type Info, offsetIn, RANGE_DB } from './site.ts';
import type { View } from './view-in-address.ts';

/** Parameters of a call: dB on the requested scale, or dB above the background. */
export type EventRule = { readonly threshold: number } | { readonly above_background: number };

export function eventRule(view: View, info: Info, interval: TimeSpan): EventRule {
  if (view.aboveBackground !== null) return { above_background: view.aboveBackground };
  const threshold = thresholdInAddress(view, info, interval);
  return threshold === undefined ? { above_background: DEFAULT_ABOVE_BACKGROUND_DB } : { threshold };
}

/**
 * The threshold in the address; undefined without one, or if no level in the interval can reach it. Above 0 dB it is an
 * absolute level; from -50 to 0, a stored one.
 */
export function thresholdInAddress(
  { threshold }: View,
  info: Info,
  interval: Pick<TimeSpan, 'to'>,
): number | undefined {
  const offset = offsetIn(interval, info) ?? 0;
  if (threshold === null) return undefined;
  const level = threshold > 0 ? threshold : hundredths(threshold + offset);
  return isWithin(level, offset) ? level : undefined;
}

/** Rounds away the error of binary fractions. */
const hundredths = (db: number) => Math.round(db * 100) / 100;

const isWithin = (level: number, offset: number) => level >= offset - RANGE_DB && level <= offset;
