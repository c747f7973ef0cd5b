// Formats the lines that commands print, and limits how often they print progress and warnings.
import { unitOf } from '../contract/level-unit.ts';
import type { PeriodSettings } from '../contract/periods.ts';

/** Passes on at most one line per `everyMs`, and none before the first `everyMs` has passed. */
export function createTicker(progress: (line: string) => void, everyMs = 1000): (line: () => string) => void {
  const showing = createOnceIn(everyMs);
  return (line) => {
    if (showing.isDue()) progress(line());
  };
}

/** How many points a command has measured or read, with their first and last time. */
export interface PointCount {
  count: number;
  first?: string | undefined;
  last?: string | undefined;
  /** The minutes of history in their time, if there are any. */
  minutes?: number;
}

/** Whether there are points or history. */
export const isSome = ({ count, minutes = 0 }: PointCount): boolean => count + minutes > 0;

/** The number of points so far, and the current level on the recorder's scale. */
export function measuredLine(
  count: number,
  levelDb: number | null,
  { weighting, reference_db }: PeriodSettings,
): string {
  const unit = reference_db === null ? 'dB' : unitOf({ weighting, reference_db });
  const level = levelDb === null ? '' : `Now ${(levelDb + (reference_db ?? 0)).toFixed(2)} ${unit}; `;
  return `${level}${count.toLocaleString('en')} points`;
}

/** The end of a status line for clipped windows, such as `; clipped in 12 of 3,000 windows`. */
export const clippedPart = (clipped: string | undefined): string =>
  clipped === undefined ? '' : `; clipped in ${clipped}`;

/** Counts a point. Points may come in any order. */
export function addTime(total: PointCount, time: string): void {
  addPoints(total, { count: 1, first: time, last: time });
}

export function addPoints(total: PointCount, { count, first, last, minutes }: PointCount): void {
  total.count += count;
  if (minutes !== undefined) total.minutes = (total.minutes ?? 0) + minutes;
  if (first !== undefined && (total.first === undefined || first < total.first)) total.first = first;
  if (last !== undefined && (total.last === undefined || last > total.last)) total.last = last;
}

/** Such as `1 line` or `5,000 lines`. */
export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? noun : `${noun}s`}`;

/** The names as JSON strings, up to 500 characters. */
export function namesText(names: readonly string[]): string {
  const shown = names.map((name) => JSON.stringify(name)).join(', ');
  return shown.slice(0, 500);
}

/** The text as an argument to type in a shell. */
export const shellText = (text: string): string =>
  /^[\w=.:,/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Such as `5 points, A to B`, or `history of 2 minutes` without points. */
export function pointsText({ count, first, last, minutes }: PointCount): string {
  const points = counted(count, 'point');
  const text = first === undefined || last === undefined ? points : `${points}, ${first} to ${last}`;
  if (minutes === undefined) return text;
  return `${count > 0 ? `${text}, and ` : ''}history of ${counted(minutes, 'minute')}`;
}

/** The final line of a command: the stored points with their times, and the points that they replaced. */
export function storedLine(stored: PointCount, removed: PointCount = { count: 0 }): string {
  const line = `Stored ${pointsText(stored)}.`;
  return !isSome(removed) ? line : `${line} They replaced ${pointsText(removed)}.`;
}

/** How much is done, in whole percent, rounded down. */
export const percent = (done: number, all: number): string =>
  `${Math.min(100, Math.floor((100 * done) / Math.max(1, all)))} %`;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Limits how often something is done or printed: immediately the first time, then at most once per interval. */
export const createOnceAMinute = (now?: () => number) => createOnceIn(60_000, now, Number.NEGATIVE_INFINITY);

/**
 * @param now a monotonic clock, in milliseconds
 * @param doneAt when the first wait begins: by default, now
 * @returns `isDue`, which restarts the wait whenever it returns true, and `again`, which makes it due at once
 */
export const createOnceIn = (everyMs: number, now = () => performance.now(), doneAt = now()) => ({
  isDue(): boolean {
    if (now() - doneAt < everyMs) return false;
    doneAt = now();
    return true;
  },
  again(): void {
    doneAt = Number.NEGATIVE_INFINITY;
  },
});

/**
 * Counts and warns of spoilt windows.
 *
 * @param first the first warning
 * @param what describes the windows in later warnings, such as `clipped`
 * @param warn prints a line for the user
 * @param now a monotonic clock, in milliseconds
 */
export function createCountedWarning(
  first: string,
  what: string,
  warn: (line: string) => void,
  now: () => number,
) {
  let windows = 0;
  let spoilt = 0;
  let said = 0;
  const saying = createOnceAMinute(now);
  const share = () => `${spoilt.toLocaleString('en')} of ${windows.toLocaleString('en')}`;
  return {
    add(isSpoilt: boolean): void {
      windows += 1;
      if (!isSpoilt) return;
      spoilt += 1;
      if (!saying.isDue()) return;
      const more = (spoilt - said).toLocaleString('en');
      warn(`Warning: ${said === 0 ? first : `${what} in ${more} more windows: ${share()} so far.`}`);
      said = spoilt;
    },
    /** The count so far, such as `12 of 3,000 windows`; undefined if it is zero. */
    counted: () => (spoilt === 0 ? undefined : `${share()} windows`),
  };
}
