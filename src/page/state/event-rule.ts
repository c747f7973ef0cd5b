// The rule for noise events: from the address, or else over the limit, or else 10 dB above the background.

import type { TimeSpan } from './calendar-intervals.ts';
import { type Info, limitSteps, offsetIn, RANGE_DB, serviceZone } from './site.ts';
import type { View } from './view-in-address.ts';

/** Parameters of a call: dB on the requested scale, or dB above the background. */
export type EventRule = { readonly threshold: number } | { readonly above_background: number };

const ABOVE_DEFAULT = 10;

export function eventRule(view: View, info: Info, interval: TimeSpan): EventRule {
  if (view.aboveBackground !== null) return { above_background: view.aboveBackground };
  const threshold = thresholdInAddress(view, info, interval) ?? limitOf(info, interval);
  return threshold === undefined ? { above_background: ABOVE_DEFAULT } : { threshold };
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

/** The limit that applies longest in an interval; undefined if no level can reach it. */
function limitOf(info: Info, interval: TimeSpan): number | undefined {
  const offset = offsetIn(interval, info);
  if (offset === null) return undefined;
  const lengths = new Map<number, number>();
  for (const { from, to, db } of limitSteps(info.limits, interval, serviceZone()))
    lengths.set(db, (lengths.get(db) ?? 0) + to - from);
  const [longest] = [...lengths].toSorted(([, a], [, b]) => b - a);
  return longest && isWithin(longest[0], offset) ? longest[0] : undefined;
}

/** Rounds away the error of binary fractions. */
const hundredths = (db: number) => Math.round(db * 100) / 100;

const isWithin = (level: number, offset: number) => level >= offset - RANGE_DB && level <= offset;
