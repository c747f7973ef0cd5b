// Surveys a table while it is checked: its islands, which times lie far off, and which reference fits the levels.
import { FLOOR_DB } from '../contract/level-unit.ts';
import { createIslands, medianOfCounts } from './islands.ts';

export const [LEAST_REFERENCE_DB, MOST_REFERENCE_DB] = [40, 160];
const DAY_MS = 86_400_000;
/** The longest pause in a table, in days. */
export const FAR_DAYS = 366;

export type TableSurvey = ReturnType<typeof createTableSurvey>;

export function createTableSurvey() {
  const days = new Map<number, { time: string; line: number; count: number }>();
  const levels = new Map<number, number>();
  let points = 0;

  return {
    /** The islands of the points as stored. */
    islands: createIslands(),
    /** @param ms the time in milliseconds since 1970 */
    add(time: string, ms: number, line: number): void {
      points += 1;
      const day = Math.floor(ms / DAY_MS);
      const known = days.get(day);
      if (known) known.count += 1;
      else days.set(day, { time, line, count: 1 });
    },
    /** @param givenDb the level of any line, even a refused one */
    addLevel(givenDb: number): void {
      const tenth = Math.round(givenDb * 10);
      levels.set(tenth, (levels.get(tenth) ?? 0) + 1);
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
      const median = medianOfCounts(levels);
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
