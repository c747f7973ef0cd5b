// Shows the status of live sound: the current level, how many points wait to be stored, and how much is clipped.
import { clippedPart, createOnceIn, measuredLine } from '../commands/progress.ts';
import type { PeriodSettings } from '../contract/periods.ts';
import type { Point } from '../contract/point.ts';
import type { RecorderIo } from './recorder-io.ts';

/** On a terminal, where each status replaces the previous one. */
const EVERY_MS = 5000;
const LOGGED_EVERY_MS = 60_000;

interface Shown {
  readonly settings: PeriodSettings;
  waiting(): Promise<number>;
  /** Such as `12 of 3,000 windows`. */
  clipped(): string | undefined;
}

export function createLiveStatus(
  io: Pick<RecorderIo, 'status' | 'isTerminal'>,
  { settings, waiting, clipped }: Shown,
): (points: readonly Point[]) => Promise<void> {
  const showing = createOnceIn(io.isTerminal ? EVERY_MS : LOGGED_EVERY_MS);
  let count = 0;
  let levelDb: number | null = null;
  return async (points) => {
    count += points.length;
    levelDb = points.at(-1)?.rms_db ?? levelDb;
    if (count === 0 || !showing.isDue()) return;
    const left = await waiting().catch(() => undefined); // the spool writer already reports a bad folder
    const stored = left === undefined ? '' : `, ${left.toLocaleString('en')} not stored yet`;
    io.status(`${measuredLine(count, levelDb, settings)}${stored}${clippedPart(clipped())}`);
  };
}
