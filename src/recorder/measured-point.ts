// A point as the meter gives it: it says, too, whether its window was overloaded. Counts such windows by minute.
import { z } from 'zod';
import { Instant } from '../contract/instant-schema.ts';
import type { Point } from '../contract/point.ts';

export interface MeasuredPoint extends Point {
  /** Whether the sound of its window was clipped before it was measured. The table of points does not say. */
  readonly isOverloaded?: boolean;
}

/** Numbers of overloaded windows by the start of their minute (UTC), canonical. Minutes without any are missing. */
export const Overload = z.record(Instant, z.int().positive());
export type Overload = z.infer<typeof Overload>;

export type OverloadCount = ReturnType<typeof createOverloadCount>;

/** Counts the overloaded windows of points that come oldest first. */
export function createOverloadCount() {
  const counts = new Map<string, number>();
  return {
    add(points: readonly MeasuredPoint[]): void {
      for (const { time, isOverloaded } of points) {
        const minute = `${minuteOf(time)}:00.000000Z`;
        if (isOverloaded) counts.set(minute, (counts.get(minute) ?? 0) + 1);
      }
    },
    /** Takes out the minutes up to that of a time. */
    take(until: string): Overload {
      const taken = [...counts].filter(([minute]) => minute <= until);
      for (const [minute] of taken) counts.delete(minute);
      return Object.fromEntries(taken);
    },
  };
}

/** @returns undefined if no window is overloaded */
export function overloadOf(points: readonly MeasuredPoint[]): Overload | undefined {
  const count = createOverloadCount();
  count.add(points);
  const found = count.take(points.at(-1)?.time ?? '');
  return Object.keys(found).length > 0 ? found : undefined;
}

/** The minute of an instant, such as `2026-01-01T00:00`. */
export const minuteOf = (time: string) => time.slice(0, 16);
