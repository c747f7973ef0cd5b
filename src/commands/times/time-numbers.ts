// Reads times that are numbers: counts since 1970, and days as spreadsheets count them.
import { type ClockTime, DAY_LENGTH_MS, type ReadClock } from './clock-fields.ts';

/** By a third of the number of digits behind the seconds. */
const UNITS = ['seconds', 'milliseconds', 'microseconds', 'nanoseconds'];
const NO_OFFSET = [0];
const LAST_SECOND = 253_402_300_799;

/** Numbers as numpy writes them, without zeros at the end. */
const EXPONENT = /^\d[.,](?:\d{9,}e\+?\d+|\d{7,}e\+?0?9)$/i;
const withoutExponent = (text: string) =>
  EXPONENT.test(text) ? Number(text.replace(',', '.')).toFixed(6) : text;

/** @param places how many digits of the whole number are behind the seconds */
export const countReader =
  (places: number): ReadClock =>
  (text) => {
    const [, whole, fraction = ''] = /^(\d{1,19})(?:[.,](\d{1,9}))?$/.exec(withoutExponent(text)) ?? [];
    if (whole === undefined) return undefined;
    const at = Math.max(0, whole.length - places);
    const seconds = Number(whole.slice(0, at));
    const micros = `${whole.slice(at).padStart(places, '0')}${fraction}`.slice(0, 6).padEnd(6, '0');
    return seconds > LAST_SECOND ? undefined : { wallMs: seconds * 1000, micros, offsetsMs: NO_OFFSET };
  };

const COUNTS = UNITS.map((_unit, thousands) => countReader(3 * thousands));

/** Reads counts since 1970: for present-day times, the number of digits shows the unit. */
export function readUnixCount(text: string): ClockTime | undefined {
  const [whole = ''] = /^\d+/.exec(withoutExponent(text)) ?? [];
  const thousands = (whole.length - 10) / 3;
  const read = COUNTS[thousands]?.(text);
  return read && { ...read, unit: `Unix ${UNITS[thousands]}` };
}

const DAYS_TO_1970 = 25_569;
/** Reads days since the end of 1899, as spreadsheets count them, to the millisecond. */
export function readSerial(text: string): ClockTime | undefined {
  if (!/^\d{1,6}([.,]\d{1,20})?$/.test(text)) return undefined;
  const ms = Math.round((Number(text.replace(',', '.')) - DAYS_TO_1970) * DAY_LENGTH_MS);
  const fraction = ((ms % 1000) + 1000) % 1000;
  return { wallMs: ms - fraction, micros: `${String(fraction).padStart(3, '0')}000` };
}
