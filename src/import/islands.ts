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
  firstMs: number;
  lastMs: number;
  readonly isForwards: boolean | undefined;
  readonly line: number;
  count: number;
}

export function createIslands() {
  const runs: Run[] = [];
  const spacings = new Map<number, number>();
  let beforeMs = Number.NaN;

  function medianSpacingMs(): number {
    const sorted = [...spacings].sort(([a], [b]) => a - b);
    const half = sorted.reduce((sum, [, count]) => sum + count, 0) / 2;
    let below = 0;
    for (const [spacing, count] of sorted) {
      below += count;
      if (below >= half) return spacing;
    }
    return 0;
  }

  const inOrder = () => runs.toSorted((a, b) => a.firstMs - b.firstMs);

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
        runs.push({
          first: time,
          last: time,
          firstMs: ms,
          lastMs: ms,
          isForwards: undefined,
          line,
          count: 1,
        });
        return;
      }
      Object.assign(run, { isForwards: run.isForwards ?? isForwards, count: run.count + 1 });
      if (time < run.first) Object.assign(run, { first: time, firstMs: ms });
      if (time > run.last) Object.assign(run, { last: time, lastMs: ms });
    },
    isUneven(): boolean {
      const longest = LONG * medianSpacingMs();
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
        const shared = latest ? Math.min(run.lastMs, latest.lastMs) - run.firstMs : 0;
        if (latest && shared > 0) {
          points += Math.min(1, shared / (run.lastMs - run.firstMs)) * run.count;
          const later = run.line > latest.line ? run : latest;
          if (!second || later.line < second.line) second = later;
        }
        if (!latest || run.lastMs > latest.lastMs) latest = run;
      }
      return { points, runs: runs.length, second };
    },
    /** The islands, oldest first. */
    all(): PointInterval[] {
      const apart = Math.max(MINUTE_MS, SPACINGS * medianSpacingMs());
      const all: { first: string; last: string; lastMs: number }[] = [];
      for (const { first, last, firstMs, lastMs } of inOrder()) {
        const before = all.at(-1);
        if (!before || firstMs - before.lastMs > apart) all.push({ first, last, lastMs });
        else if (last > before.last) Object.assign(before, { last, lastMs });
      }
      return all.map(({ first, last }) => ({ first, last }));
    },
  };
}
