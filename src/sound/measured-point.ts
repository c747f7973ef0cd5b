// A point from the meter. Counts its overload per minute, as it is stored.
import { minuteOf } from '../contract/instant.ts';
import type { Point } from '../contract/point.ts';
import type { OverloadByMinute } from '../database/store-overload.ts';

export interface MeasuredPoint extends Point {
  /** Whether the sound of its window was clipped before it was measured. */
  readonly isOverloaded?: boolean;
}

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

const startOfMinute = (time: string) => `${minuteOf(time)}:00.000000Z`;
