// Finds limits that no level can be told to be under, for the warnings of the service and of recorders.
import { FLOOR_DB } from './level-unit.ts';
import type { Limit } from './limits.ts';

/** The lowest level that is stored should lie so far below each limit, in dB. */
const MARGIN_DB = 10;

/**
 * @param offset_db the sound pressure level that a stored 0 stands for; null if that is not known
 * @returns what to warn of, and what to do; undefined if every limit lies above the lowest level that is stored
 */
export function limitsBelowRange(limits: readonly Limit[], offset_db: number | null): string | undefined {
  if (offset_db === null) return undefined;
  const floor = Number((offset_db + FLOOR_DB).toFixed(6));
  const low = limits.filter(({ limit_db }) => limit_db <= floor);
  if (low.length === 0) return undefined;
  const named = low.map(({ start, end, limit_db }) => `${start}-${end}=${limit_db}`).join();
  const lowest = Math.min(...low.map(({ limit_db }) => limit_db));
  const reference = Math.max(40, Math.floor(lowest - FLOOR_DB - MARGIN_DB));
  return `Levels below ${floor} dB are stored as ${floor} dB, so stats.limits cannot judge quiet times by ${named}: record with \`--reference-db ${reference}\` or less`;
}
