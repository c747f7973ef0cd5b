// What makes a noise event: as the address says, else over the limit, else 10 dB above the background.
import { scaleOf } from '../../contract/shown-scale.ts';
import type { Interval } from './interval.ts';
import { limitSteps } from './limit-steps.ts';
import { type Info, serviceZone } from './place.ts';
import { LOUDEST, QUIETEST, type View } from './view-in-address.ts';

/** As parameters of a call: dB as stored, or dB above the background. */
export type EventRule = { readonly threshold: number } | { readonly above_background: number };

export const ABOVE_DEFAULT = 10;

export function eventRule(view: View, info: Info, interval: Interval): EventRule {
  if (view.aboveBackground !== null) return { above_background: view.aboveBackground };
  const threshold = view.threshold ?? limitOf(info, interval);
  return threshold === undefined ? { above_background: ABOVE_DEFAULT } : { threshold };
}

/** The limit that applies longest in an interval, as a stored level; undefined if none can be stored. */
export function limitOf(info: Info, interval: Interval): number | undefined {
  const { isAbsolute, offset } = scaleOf(info.periods[0], info.calibration_offset_db);
  if (!isAbsolute) return undefined;
  const lengths = new Map<number, number>();
  for (const { from, to, db } of limitSteps(info.limits, interval, serviceZone(), offset))
    lengths.set(db, (lengths.get(db) ?? 0) + to - from);
  const [longest] = [...lengths].toSorted(([, a], [, b]) => b - a);
  const level = longest && Math.round(longest[0] * 100) / 100;
  return level !== undefined && level >= QUIETEST && level <= LOUDEST ? level : undefined;
}
