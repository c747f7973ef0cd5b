// Splits the points of a table into islands: intervals without long gaps. Also finds uneven spacings.
import type { PointInterval } from '../recorder/storing/point-store.ts';

const MINUTE_MS = 60_000;
/** A gap separates islands if it is longer than a minute and than this many median spacings. */
const SPACINGS = 10;
const HOUR_MS = 3_600_000;
/** A spacing beyond this many medians is long, up to an hour: longer ones are pauses. */
const LONG = 3;
/** Spacings are uneven if long ones cover more than this share of the time. */
const UNEVEN = 0.2;
/** How many different spacings to track; beyond that, similar ones are merged. */
const MOST_SPACINGS = 10_000;

/** Points that are each at most a minute from the previous one. */
interface Run {
  first: string;
  last: string;
}

/** @param counts how often each value occurs. @returns undefined if none does */
export function medianOfCounts(counts: ReadonlyMap<number, number>): number | undefined {
  const sorted = [...counts].sort(([a], [b]) => a - b);
  let below = sorted.reduce((sum, [, count]) => sum + count, 0) / -2;
  return sorted.find(([, count]) => {
    below += count;
    return below >= 0;
  })?.[0];
}

export function createIslands() {
  const runs: Run[] = [];
  const spacings = new Map<number, number>();
  let beforeMs = Number.NaN;

  return {
    /** @param ms the time in milliseconds since 1970 */
    add(time: string, ms: number): void {
      const spacing = Math.abs(ms - beforeMs);
      beforeMs = ms;
      if (spacing > 0) {
        const known = spacings.size < MOST_SPACINGS ? spacing : Number(spacing.toPrecision(2));
        spacings.set(known, (spacings.get(known) ?? 0) + 1);
      }
      const run = runs.at(-1);
      if (!run || spacing > MINUTE_MS) {
        runs.push({ first: time, last: time });
        return;
      }
      if (time < run.first) run.first = time;
      if (time > run.last) run.last = time;
    },
    isUneven(): boolean {
      const longest = LONG * (medianOfCounts(spacings) ?? 0);
      let [all, long] = [0, 0];
      for (const [spacing, count] of spacings) {
        if (spacing > HOUR_MS) continue;
        all += spacing * count;
        if (spacing > longest) long += spacing * count;
      }
      return long > UNEVEN * all;
    },
    /** The islands, oldest first. */
    all(): PointInterval[] {
      const apart = Math.max(MINUTE_MS, SPACINGS * (medianOfCounts(spacings) ?? 0));
      const all: { first: string; last: string }[] = [];
      for (const { first, last } of runs.toSorted((a, b) => (a.first < b.first ? -1 : 1))) {
        const before = all.at(-1);
        if (!before || Date.parse(first) - Date.parse(before.last) > apart) all.push({ first, last });
        else if (last > before.last) before.last = last;
      }
      return all;
    },
  };
}
