// Measures the made-up day. The same time always gives the same point, whether past or live.
import { instantOf } from '../../contract/instant.ts';
import type { Point } from '../../contract/point.ts';
import { createWindowMeter } from '../sound/meter.ts';
import { SYNTHESIS_RATE_HZ, synthesise } from './synthesise-demo.ts';

export const INTERVAL_MS = 500;
/** How much of each interval is measured, from its start. Measuring a whole day in full would take minutes. */
const GLIMPSE_MS = 64;
const SILENCE_DB = -45;

/** @returns a function that measures the point at a given ms since 1970 */
export function createDemoMeter(): (epochMs: number) => Point {
  const measure = createWindowMeter({ rateHz: SYNTHESIS_RATE_HZ, silenceDb: SILENCE_DB });
  return (epochMs) => ({ time: instantOf(epochMs), ...measure([synthesise(epochMs, GLIMPSE_MS)]) });
}
