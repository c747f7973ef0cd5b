// Formats the lines that recorder commands show to the user, and limits how often progress is shown.
import { unitOf } from '../contract/level-unit.ts';
import type { PeriodSettings } from '../contract/periods.ts';
import { createOnceIn } from './once-a-minute.ts';

/** Passes on at most one line in `everyMs`, the first after that time. */
export function createTicker(progress: (line: string) => void, everyMs = 1000): (line: () => string) => void {
  const showing = createOnceIn(everyMs);
  showing.isDue(); // the first wait begins now
  return (line) => {
    if (showing.isDue()) progress(line());
  };
}

/** What a command has measured or read: how many points, and the first and the last of their times. */
export interface PointCount {
  count: number;
  first?: string | undefined;
  last?: string | undefined;
}

/** Counts points that come in the order of time. */
export function addPoints(total: PointCount, points: readonly { time: string }[]): void {
  total.count += points.length;
  total.first ??= points[0]?.time;
  total.last = points.at(-1)?.time ?? total.last;
}

/** What is measured so far, and the level now, on the scale of the recorder. */
export function measuredLine(
  count: number,
  levelDb: number | null,
  { weighting, reference_db }: PeriodSettings,
): string {
  const unit = reference_db === null ? 'dB' : unitOf({ weighting, reference_db });
  const level = levelDb === null ? '' : `Now ${(levelDb + (reference_db ?? 0)).toFixed(2)} ${unit}; `;
  return `${level}${count.toLocaleString('en')} points`;
}

/** How many windows are clipped, such as `12 of 3,000 windows`, after what else is said. */
export function clippedPart(clipped: string | undefined): string {
  return clipped === undefined ? '' : `; clipped in ${clipped}`;
}

/** Counts a point that comes in any order. */
export function addTime(total: PointCount, time: string): void {
  total.count += 1;
  if (total.last === undefined || time > total.last) total.last = time;
  else if (total.first !== undefined && time < total.first) total.first = time;
  total.first ??= time;
}

/** Such as `5 points, A to B`. */
export function pointsText({ count, first, last }: PointCount): string {
  const points = `${count.toLocaleString('en')} ${count === 1 ? 'point' : 'points'}`;
  return first === undefined || last === undefined ? points : `${points}, ${first} to ${last}`;
}

/** The final line of a command: how many points are stored, from when to when, and how many were removed for them. */
export function storedLine(stored: PointCount, removed: PointCount = { count: 0 }): string {
  const line = `Stored ${pointsText(stored)}.`;
  return removed.count === 0 ? line : `${line} Removed ${pointsText(removed)}, which were there.`;
}

/** How much is done, in whole percent, rounded down. */
export function percent(done: number, all: number): string {
  return `${Math.min(100, Math.floor((100 * done) / Math.max(1, all)))} %`;
}

/** What a line says of a fault. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
