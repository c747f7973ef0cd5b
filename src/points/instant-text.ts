// Writes instants as the contract has them, from the microseconds that the database counts.
import { type Phrase, phraseOf, putPhrase, putThree, putTimeOfDay } from './byte-writer.ts';

/** Like `2026-01-01T00:00:00.123456Z`. */
export const INSTANT_LENGTH = 'YYYY-MM-DDTHH:MM:SS.ssssssZ'.length;

/** The database counts from 2000. */
const FIRST_DAY_MS = Date.UTC(2000, 0);
const DAY_SECONDS = 86_400;

/** The value of 1 in the upper 4 bytes: 2^32 microseconds, as seconds and the rest. */
const [HIGH_SECONDS, HIGH_MICROS] = [4294, 967_296];

const Z = phraseOf('Z');

/** The day that was written last: most often the next instant has the same. */
let day = Number.NaN;
let dayText: Phrase = phraseOf('');

/**
 * Writes an instant: microseconds since 2000, as the upper and the lower half of 8 bytes.
 *
 * @returns where the next write begins
 */
export function putInstant(text: DataView, start: number, high: number, low: number): number {
  const micros = high * HIGH_MICROS + low; // exact, as are the seconds: no double holds both
  const more = Math.floor(micros / 1e6);
  const seconds = high * HIGH_SECONDS + more;
  const itsDay = Math.floor(seconds / DAY_SECONDS);
  if (itsDay !== day) {
    dayText = phraseOf(textOf(itsDay));
    day = itsDay;
  }
  let at = putPhrase(text, start, dayText);
  at = putTimeOfDay(text, at, seconds - itsDay * DAY_SECONDS);
  const fraction = micros - more * 1e6;
  const millis = Math.floor(fraction / 1000);
  at = putThree(text, at, millis);
  at = putThree(text, at, fraction - millis * 1000);
  return putPhrase(text, at, Z);
}

/** @throws outside of the years 1 to 9999 */
function textOf(day: number): string {
  const date = new Date(FIRST_DAY_MS + day * DAY_SECONDS * 1000);
  if (!(date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999))
    throw new RangeError('A point is dated outside of the years 1 to 9999');
  return date.toISOString().slice(0, 'YYYY-MM-DDT'.length);
}
