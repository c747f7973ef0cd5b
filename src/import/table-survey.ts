// Surveys a table while it is checked: whether times start over, which times lie far off, and which reference fits the
// levels.
import { FLOOR_DB } from '../contract/level-unit.ts';
import { createIslands, medianOf } from './islands.ts';

export const [LEAST_REFERENCE_DB, MOST_REFERENCE_DB] = [40, 160];
const DAY_MS = 86_400_000;
/** The longest pause in a table, in days. */
export const FAR_DAYS = 366;
/** Times start over if more than this share of the points overlaps the times of earlier lines. */
const STARTED_OVER = 0.1;

export type TableSurvey = ReturnType<typeof createTableSurvey>;

export function createTableSurvey() {
  const islands = createIslands();
  const days = new Map<number, { time: string; line: number; count: number }>();
  const levels = new Map<number, number>();
  let points = 0;

  return {
    islands,
    /** The islands of the points as stored, including repeated ones. */
    heldIslands: createIslands(),
    add(time: string, line: number): void {
      points += 1;
      islands.add(time, line);
      const day = Math.floor(Date.parse(time) / DAY_MS);
      const known = days.get(day);
      if (known) known.count += 1;
      else days.set(day, { time, line, count: 1 });
    },
    /** @param givenDb the level of any line, even a refused one */
    addLevel(givenDb: number): void {
      const tenth = Math.round(givenDb * 10);
      levels.set(tenth, (levels.get(tenth) ?? 0) + 1);
    },
    /** The line at which times start over, if there are few runs and many of their points overlap. */
    startsOver(): { readonly line: number; readonly time: string } | undefined {
      const { points: shared, runs, second } = islands.overlaps();
      const isSo = shared > points * STARTED_OVER && runs <= Math.max(3, points / 10);
      return isSo && second
        ? { line: second.line, time: second.isForwards === false ? second.last : second.first }
        : undefined;
    },
    /** The days that a pause of over {@link FAR_DAYS} separates from the median day. */
    far() {
      const ordered = [...days].sort(([a], [b]) => a - b);
      let below = 0;
      const median = ordered.findIndex(([, { count }]) => {
        below += count;
        return 2 * below > points;
      });
      const pauses = ordered.flatMap(([day], index) =>
        day - (ordered[index - 1]?.[0] ?? day) > FAR_DAYS ? [index] : [],
      );
      const first = pauses.findLast((index) => index <= median) ?? 0;
      const end = pauses.find((index) => index > median) ?? ordered.length;
      return [...ordered.slice(0, first), ...ordered.slice(end)].map(([, far]) => far);
    },
    /** The reference that puts the fewest levels out of range, and how many; undefined without levels. */
    reference() {
      const tenths = [...levels.keys()];
      const count = [...levels.values()].reduce((sum, one) => sum + one, 0);
      const median = medianOf(levels);
      if (median === undefined) return undefined;
      const [lowest, highest] = [Math.min(...tenths) / 10, Math.max(...tenths) / 10];
      const least = Math.min(MOST_REFERENCE_DB, Math.max(LEAST_REFERENCE_DB, Math.floor(lowest)));
      const most = Math.min(MOST_REFERENCE_DB, Math.ceil(highest) - FLOOR_DB);
      const candidates = Array.from({ length: Math.max(1, most - least + 1) }, (_, n) => {
        const referenceDb = least + n;
        const [low, high] = [(referenceDb + FLOOR_DB) * 10, referenceDb * 10];
        const outside = [...levels].filter(([level]) => level < low || level > high);
        return {
          referenceDb,
          clipped: outside.reduce((sum, [, count]) => sum + count, 0),
          count,
          medianDb: median / 10,
        };
      });
      const fewest = Math.min(...candidates.map(({ clipped }) => clipped));
      const good = candidates.filter(({ clipped }) => clipped === fewest);
      const round = good.filter(({ referenceDb }) => referenceDb % 5 === 0);
      const chosen = round.length > 0 ? round : good;
      return chosen[chosen.length >> 1]; // the middle one, to leave room on both sides
    },
  };
}
