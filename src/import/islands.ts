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

/** Points in rising or falling order, each at most a minute from the previous one. */
interface Run {
  first: string;
  last: string;
  isForwards: boolean | undefined;
  readonly line: number;
  count: number;
}

/** @param counts how often each value occurs. @returns undefined if none does */
export function medianOf(counts: ReadonlyMap<number, number>): number | undefined {
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

  const inOrder = () => runs.toSorted((a, b) => (a.first < b.first ? -1 : 1));

  return {
    add(time: string, line: number): void {
      const ms = Date.parse(time);
      const [spacing, isForwards] = [Math.abs(ms - beforeMs), ms === beforeMs ? undefined : ms > beforeMs];
      beforeMs = ms;
      if (spacing > 0) {
        const known = spacings.size < MOST_SPACINGS ? spacing : Number(spacing.toPrecision(2));
        spacings.set(known, (spacings.get(known) ?? 0) + 1);
      }
      const run = runs.at(-1);
      const goesOn = run && (isForwards ?? run.isForwards) === (run.isForwards ?? isForwards);
      if (!goesOn || spacing > MINUTE_MS) {
        runs.push({ first: time, last: time, isForwards: undefined, line, count: 1 });
        return;
      }
      run.isForwards ??= isForwards;
      run.count += 1;
      if (time < run.first) run.first = time;
      if (time > run.last) run.last = time;
    },
    isUneven(): boolean {
      const longest = LONG * (medianOf(spacings) ?? 0);
      let [all, long] = [0, 0];
      for (const [spacing, count] of spacings) {
        if (spacing > HOUR_MS) continue;
        all += spacing * count;
        if (spacing > longest) long += spacing * count;
      }
      return long > UNEVEN * all;
    },
    /** How many points lie where runs overlap; how many runs there are; and the first that overlaps one before it. */
    overlaps(): { readonly points: number; readonly runs: number; readonly second: Run | undefined } {
      let [points, second]: [number, Run | undefined] = [0, undefined];
      let latest: Run | undefined;
      for (const run of inOrder()) {
        const end = latest && latest.last < run.last ? latest.last : run.last;
        const shared = latest ? lengthMs(run.first, end) : 0;
        if (latest && shared > 0) {
          points += Math.min(1, shared / lengthMs(run.first, run.last)) * run.count;
          const later = run.line > latest.line ? run : latest;
          if (!second || later.line < second.line) second = later;
        }
        if (!latest || run.last > latest.last) latest = run;
      }
      return { points, runs: runs.length, second };
    },
    /** The islands, oldest first. */
    all(): PointInterval[] {
      const apart = Math.max(MINUTE_MS, SPACINGS * (medianOf(spacings) ?? 0));
      const all: { first: string; last: string }[] = [];
      for (const { first, last } of inOrder()) {
        const before = all.at(-1);
        if (!before || lengthMs(before.last, first) > apart) all.push({ first, last });
        else if (last > before.last) before.last = last;
      }
      return all;
    },
  };
}

const lengthMs = (first: string, last: string) => Date.parse(last) - Date.parse(first);
