// A point from the meter. Counts its overload per minute, as it is stored.
import { z } from 'zod';
import { Instant } from '../contract/instant-schema.ts';
import type { Point } from '../contract/point.ts';

export interface MeasuredPoint extends Point {
  /** Whether the sound of its window was clipped before it was measured. */
  readonly isOverloaded?: boolean;
}

/** Overloaded windows per minute (UTC), keyed by the minute's canonical start. Minutes without any are missing. */
export const OverloadByMinute = z.record(Instant, z.int().positive());
export type OverloadByMinute = z.infer<typeof OverloadByMinute>;

export type OverloadCount = ReturnType<typeof createOverloadCount>;

/** Counts overloaded windows. Points must come oldest first. */
export function createOverloadCount() {
  const counts = new Map<string, number>();
  return {
    add(points: readonly MeasuredPoint[]): void {
      for (const { time, isOverloaded } of points) {
        const minute = startOfMinute(time);
        if (isOverloaded) counts.set(minute, (counts.get(minute) ?? 0) + 1);
      }
    },
    /** Removes and returns the counts up to and including the minute of `until`. */
    take(until: string): OverloadByMinute {
      const taken = [...counts].filter(([minute]) => minute <= until);
      for (const [minute] of taken) counts.delete(minute);
      return Object.fromEntries(taken);
    },
  };
}

export function overloadOf(points: readonly MeasuredPoint[]): OverloadByMinute | undefined {
  const count = createOverloadCount();
  count.add(points);
  const found = count.take(points.at(-1)?.time ?? '');
  return Object.keys(found).length > 0 ? found : undefined;
}

/** The minute of an instant, such as `2026-01-01T00:00`. */
export const minuteOf = (time: string) => time.slice(0, 16);
const startOfMinute = (time: string) => `${minuteOf(time)}:00.000000Z`;
