// A point as the meter returns it, with overload and clock correction, which are stored by minute. Sums those up.
import { z } from 'zod';
import { Instant } from '../contract/instant-schema.ts';
import type { Point } from '../contract/point.ts';

export interface MeasuredPoint extends Point {
  /** Whether the sound of its window was clipped before it was measured. */
  readonly isOverloaded?: boolean;
  /** Live sound: how much later the window begins than the previous one predicts, if that is 2 ms or more either way. */
  readonly correctionMs?: number;
}

/** The largest correction of each minute (UTC), keyed by its canonical start. Minutes without corrections are missing. */
export const Corrections = z.record(Instant, z.number());
export type Corrections = z.infer<typeof Corrections>;

/** Keeps the largest correction of each minute. */
export function largestCorrections(some: Iterable<readonly [minute: string, ms: number]>): Corrections {
  const largest: Record<string, number> = {};
  for (const [minute, ms] of some) if (Math.abs(ms) > Math.abs(largest[minute] ?? 0)) largest[minute] = ms;
  return largest;
}

/** @returns undefined if no window was moved */
export function correctionsOf(points: readonly MeasuredPoint[]): Corrections | undefined {
  const found = points.flatMap(({ time, correctionMs }) =>
    correctionMs === undefined ? [] : [[startOfMinute(time), correctionMs] as const],
  );
  return found.length > 0 ? largestCorrections(found) : undefined;
}

/** Numbers of overloaded windows, keyed by the canonical start of the minute (UTC). Minutes without any are missing. */
export const OverloadByMinute = z.record(Instant, z.int().positive());
export type OverloadByMinute = z.infer<typeof OverloadByMinute>;

export type OverloadCount = ReturnType<typeof createOverloadCount>;

/** Counts the overloaded windows of points that come oldest first. */
export function createOverloadCount() {
  const counts = new Map<string, number>();
  return {
    add(points: readonly MeasuredPoint[]): void {
      for (const { time, isOverloaded } of points) {
        const minute = startOfMinute(time);
        if (isOverloaded) counts.set(minute, (counts.get(minute) ?? 0) + 1);
      }
    },
    /** Removes and returns the minutes up to and including that of a time. */
    take(until: string): OverloadByMinute {
      const taken = [...counts].filter(([minute]) => minute <= until);
      for (const [minute] of taken) counts.delete(minute);
      return Object.fromEntries(taken);
    },
  };
}

/** @returns undefined if no window is overloaded */
export function overloadOf(points: readonly MeasuredPoint[]): OverloadByMinute | undefined {
  const count = createOverloadCount();
  count.add(points);
  const found = count.take(points.at(-1)?.time ?? '');
  return Object.keys(found).length > 0 ? found : undefined;
}

/** The minute of an instant, such as `2026-01-01T00:00`. */
export const minuteOf = (time: string) => time.slice(0, 16);
const startOfMinute = (time: string) => `${minuteOf(time)}:00.000000Z`;
