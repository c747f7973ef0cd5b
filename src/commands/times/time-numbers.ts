// Reads times that are numbers: counts since 1970, and days as spreadsheets count them.
import { instantOfMicros, LAST_MICROS } from '../../contract/instant.ts';
import type { ClockTime } from './clock-fields.ts';

/** A number such as 1.794520000123e+09. */
export const EXPONENT = /^\d[.,]\d+e\+?\d{1,2}$/i;
/** @returns undefined if digits are missing to the second; numpy leaves out zeros at the end */
export function plainNumber(text: string): string | undefined {
  const [mantissa = '', exponent] = text.toLowerCase().replace(',', '.').split('e');
  return mantissa.length - 2 < (Number(exponent) === 9 ? 7 : 9)
    ? undefined
    : Number(text.replace(',', '.')).toFixed(6);
}

export function countReader(digits: number): (text: string) => string | undefined {
  return (text) => {
    const [, whole, fraction = ''] = /^(\d{1,19})(?:[.,](\d{1,9}))?$/.exec(text) ?? [];
    if (whole === undefined) return undefined;
    const micros = BigInt(
      digits < 0 ? whole.slice(0, digits) || '0' : whole + fraction.slice(0, digits).padEnd(digits, '0'),
    );
    return micros <= LAST_MICROS ? instantOfMicros(micros) : undefined;
  };
}

export const UNITS = new Map([
  [10, { unit: 'Unix seconds', read: countReader(6) }],
  [13, { unit: 'Unix milliseconds', read: countReader(3) }],
  [16, { unit: 'Unix microseconds', read: countReader(0) }],
  [19, { unit: 'Unix nanoseconds', read: countReader(-3) }],
]);

const DAYS_TO_1970 = 25_569;
const DAY_MS = 86_400_000;

/** Reads days since the end of 1899, as spreadsheets count them, to the millisecond. */
export function readSerial(text: string): ClockTime | undefined {
  if (!/^\d{1,6}([.,]\d{1,20})?$/.test(text)) return undefined;
  const ms = Math.round((Number(text.replace(',', '.')) - DAYS_TO_1970) * DAY_MS);
  const fraction = ((ms % 1000) + 1000) % 1000;
  return { wallMs: ms - fraction, micros: `${String(fraction).padStart(3, '0')}000`, offsetMs: undefined };
}
