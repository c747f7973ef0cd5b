// Finds limits at or below the lowest stored level. The service and recorders warn of them.
import { FLOOR_DB } from './level-unit.ts';
import type { Limit } from './limits.ts';

/** The lowest stored level should be this far below each limit, in dB. */
const MARGIN_DB = 10;

/** @param offset_db the level of a stored 0 dB, if known. @returns a warning with its remedy, if a limit is too low */
export function limitsBelowRange(limits: readonly Limit[], offset_db: number | null): string | undefined {
  if (offset_db === null) return undefined;
  const floor = Number((offset_db + FLOOR_DB).toFixed(6));
  const low = limits.filter(({ limit_db }) => limit_db <= floor);
  if (low.length === 0) return undefined;
  const named = low.map(({ start, end, limit_db }) => `${start}-${end}=${limit_db}`).join();
  const lowest = Math.min(...low.map(({ limit_db }) => limit_db));
  const reference = Math.max(40, Math.floor(lowest - FLOOR_DB - MARGIN_DB));
  return `Levels below ${floor} dB are stored as ${floor} dB, so stats.limits cannot compare quiet times with ${named}. Record with \`--reference-db ${reference}\` or less`;
}
