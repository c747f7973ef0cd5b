// Surveys a table while it is read: its points, its islands, which times lie far off, and which reference fits.
import { addTime, type PointCount } from '../commands/progress.ts';
import { FLOOR_DB } from '../contract/level-unit.ts';

export const [LEAST_REFERENCE_DB, MOST_REFERENCE_DB] = [40, 160];
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** The longest pause in a table, in days. */
export const FAR_DAYS = 366;
/** A gap separates islands if it is longer than a minute and than this many median spacings. */
const SPACINGS = 10;
/** A spacing beyond this many medians is long, up to an hour: longer ones are pauses. */
const LONG = 3;
/** Spacings are uneven if long ones cover more than this share of the time. */
const UNEVEN = 0.2;
/** How many different spacings to track; beyond that, similar ones are merged. */
const MOST_SPACINGS = 10_000;

export interface TableCount extends PointCount {
  clipped: number;
  /** How many points have no level. */
  levelless: number;
  /** The range of levels in the file, before any offset, including refused lines. */
  lowestDb: number;
  highestDb: number;
}

export const noPoints = (): TableCount => ({
  ...{ count: 0, clipped: 0, levelless: 0 },
  ...{ lowestDb: Number.POSITIVE_INFINITY, highestDb: Number.NEGATIVE_INFINITY },
});

/** Points without a long gap. */
interface Run {
  first: string;
  last: string;
  count: number;
  /** The line of the first point. */
  line: number;
}

export type TableSurvey = ReturnType<typeof createTableSurvey>;

export function createTableSurvey() {
  const read = noPoints();
  /** Points that are each at most a minute from the previous one. */
  const runs: Run[] = [];
  const spacings = new Map<number, number>();
  const levels = new Map<number, number>();
  let beforeMs = Number.NaN;
  let isOrdered = true;

  /** The runs without gaps of more than `apartMs`, oldest first. */
  function joined(apartMs: number): Run[] {
    const all: Run[] = [];
    for (const run of runs.toSorted((a, b) => (a.first < b.first ? -1 : 1))) {
      const before = all.at(-1);
      if (!before || Date.parse(run.first) - Date.parse(before.last) > apartMs) all.push({ ...run });
      else {
        before.count += run.count;
        if (run.last > before.last) before.last = run.last;
      }
    }
    return all;
  }

  return Object.assign(read, {
    /** What to tell of lines that are not points. */
    notes: [] as string[],
    /** @param ms the time in milliseconds since 1970 */
    add(time: string, ms: number, line: number): void {
      if (read.last !== undefined && time < read.last) isOrdered = false;
      addTime(read, time);
      const spacing = Math.abs(ms - beforeMs);
      beforeMs = ms;
      if (spacing > 0) {
        const known = spacings.size < MOST_SPACINGS ? spacing : Number(spacing.toPrecision(2));
        spacings.set(known, (spacings.get(known) ?? 0) + 1);
      }
      const run = runs.at(-1);
      if (!run || spacing > MINUTE_MS) {
        runs.push({ first: time, last: time, count: 1, line });
        return;
      }
      run.count += 1;
      if (time < run.first) [run.first, run.line] = [time, line];
      if (time > run.last) run.last = time;
    },
    /** @param givenDb the level of any line, even a refused one */
    addLevel(givenDb: number): void {
      read.lowestDb = Math.min(givenDb, read.lowestDb);
      read.highestDb = Math.max(givenDb, read.highestDb);
      const tenth = Math.round(givenDb * 10);
      levels.set(tenth, (levels.get(tenth) ?? 0) + 1);
    },
    /** Whether points come oldest first. */
    isOrdered: () => isOrdered,
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
    /** The intervals without long gaps, oldest first. */
    islands: () => joined(Math.max(MINUTE_MS, SPACINGS * (medianOfCounts(spacings) ?? 0))),
    /** The intervals that pauses of over {@link FAR_DAYS} separate from the one with the most points. */
    far(): Run[] {
      const all = joined(FAR_DAYS * DAY_MS);
      const most = all.toSorted((a, b) => a.count - b.count).at(-1);
      return all.filter((run) => run !== most);
    },
    /** The reference that puts the fewest levels out of range, and how many; undefined without levels. */
    reference() {
      const median = medianOfCounts(levels);
      if (median === undefined) return undefined;
      const count = sumOfCounts([...levels]);
      const candidates = Array.from({ length: MOST_REFERENCE_DB - LEAST_REFERENCE_DB + 1 }, (_, n) => {
        const referenceDb = LEAST_REFERENCE_DB + n;
        const [low, high] = [(referenceDb + FLOOR_DB) * 10, referenceDb * 10];
        const outside = [...levels].filter(([level]) => level < low || level > high);
        return { referenceDb, clipped: sumOfCounts(outside), count, medianDb: median / 10 };
      });
      const fewest = Math.min(...candidates.map(({ clipped }) => clipped));
      const good = candidates.filter(({ clipped }) => clipped === fewest);
      const round = good.filter(({ referenceDb }) => referenceDb % 5 === 0);
      const chosen = round.length > 0 ? round : good;
      return chosen[chosen.length >> 1]; // the middle one, to leave room on both sides
    },
  });
}

type Counts = readonly (readonly [value: number, count: number])[];

const sumOfCounts = (counts: Counts) => counts.reduce((sum, [, count]) => sum + count, 0);

/** @param counts how often each value occurs. @returns undefined if none does */
function medianOfCounts(counts: ReadonlyMap<number, number>): number | undefined {
  const sorted = [...counts].sort(([a], [b]) => a - b);
  let below = sumOfCounts(sorted) / -2;
  return sorted.find(([, count]) => {
    below += count;
    return below >= 0;
  })?.[0];
}
