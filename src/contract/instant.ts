// Parses, formats and compares instants, and lengths such as 10m. The canonical instant is UTC with six digits.

/** The accepted times, in words: for messages and the OpenAPI document. */
export const INSTANT_ALLOWED =
  'an RFC 3339 time with a zone and at most six fractional digits, such as 2026-01-01T00:00:00.123456Z or 2026-01-01T01:00:00+01:00, or now, or now-<n><s|m|h|d> such as now-1h';

/** The same for parameters that also accept a date. A date means its first instant in the time zone. */
export const INSTANT_OR_DATE_ALLOWED = `${INSTANT_ALLOWED}, or a date such as 2026-10-01 together with time_zone`;

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,6}))?(?:[Zz]|([+\- ])(\d{2}):(\d{2}))$/;
/** Matches canonical instants, except on 29 February. */
const CANONICAL =
  /^(?!0000)\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/;
const RELATIVE = /^now(?:-(\d{1,12}[smhd]))?$/;

/** Canonical instants, half-open: `[from, to)`. */
export type Interval = { readonly from: string; readonly to: string };

/** The same; null stands for no end. */
export type OpenInterval = { readonly from: string | null; readonly to: string | null };

/** An interval in microseconds since 1970, half-open. */
export type Range = { readonly from: bigint; readonly to: bigint };

export const FIRST_INSTANT = '0001-01-01T00:00:00.000000Z';

/** Just after the latest canonical instant. As an upper bound, it excludes `infinity` and years beyond 9999. */
export const AFTER_LAST_INSTANT = '10000-01-01Z';

/** True for `now` and `now-<n><unit>`, which depend on the clock. */
export const isRelative = (text: string): boolean => RELATIVE.test(text);

/**
 * Parses a time in a request (RFC 3339, 5.6). A space counts as the `+` of an offset, because an unescaped
 * `+` in a query string becomes a space.
 *
 * @param now the clock of the request, canonical
 * @returns the canonical instant, or undefined if the text is not a time in the years 0001 to 9999
 */
export function parseInstant(text: string, now: string): string | undefined {
  const relative = RELATIVE.exec(text);
  if (relative) {
    const [, length = '0s'] = relative;
    return addSeconds(now, -(parseDuration(length) ?? 0) / 1000);
  }
  return parseAbsolute(text);
}

/** Parses a time that does not depend on the clock, as {@link parseInstant} does. */
export function parseAbsolute(text: string): string | undefined {
  if (CANONICAL.test(text)) return text; // the usual case: a file has millions of them
  const match = RFC_3339.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const [offsetHour, offsetMinute] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day); // unlike Date.UTC, takes years below 100 as they are
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const offset = (match[8] === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute);
  date.setUTCHours(hour, minute - offset, second);
  return canonical(date.getTime(), (match[7] ?? '').padEnd(6, '0'));
}

/** Whether a text is a date in the years 0001 to 9999, such as `2026-10-01`. */
export const isDate = (text: string): boolean =>
  text.length === 10 && parseAbsolute(`${text}T00:00:00Z`) !== undefined;

/** @returns the instant a whole number of seconds later, or undefined outside years 0001 to 9999. */
export const addSeconds = (instant: string, seconds: number): string | undefined =>
  canonical(Date.parse(`${instant.slice(0, 19)}Z`) + seconds * 1000, instant.slice(20, 26));

/** @returns the instant a microsecond later, or undefined after the last one of year 9999. */
export function nextInstant(instant: string): string | undefined {
  const micros = Number(instant.slice(20, 26)) + 1;
  const second = micros < 1_000_000 ? instant : addSeconds(instant, 1);
  return second && `${second.slice(0, 20)}${String(micros % 1_000_000).padStart(6, '0')}Z`;
}

/** The most by which the clocks of recorder, service and browser may differ. */
export const AHEAD_SECONDS = 60;

/** Points dated at or after this time are ahead: a clock was wrong, so they say nothing about now. */
export const aheadOf = (now: string) => addSeconds(now, AHEAD_SECONDS) ?? now;

/** @returns the canonical instant of milliseconds since 1970, such as `Date.now()`. */
export function instantOf(epochMs: number): string {
  const ms = Math.trunc(epochMs);
  return `${secondOf(ms)}.${digits(ms - 1000 * Math.floor(ms / 1000), 3)}000Z`;
}

/** @returns the microseconds since 1970 of a canonical instant. */
export const microsOf = (instant: string): bigint =>
  BigInt(Date.parse(`${instant.slice(0, 19)}Z`)) * 1000n + BigInt(instant.slice(20, 26));

export const FIRST_MICROS = microsOf(FIRST_INSTANT);
export const LAST_MICROS = microsOf('9999-12-31T23:59:59.999999Z');

/** @param micros since 1970. @returns the canonical instant. @throws RangeError outside the years 0001 to 9999 */
export function instantOfMicros(micros: bigint): string {
  const second = floorTo(micros, 1_000_000n);
  const instant = canonical(Number(second / 1000n), String(micros - second).padStart(6, '0'));
  if (!instant) throw new RangeError(`${micros} µs is outside years 0001 to 9999`);
  return instant;
}

/** @returns the largest multiple of `width` up to `micros` */
export const floorTo = (micros: bigint, width: bigint) => micros - (((micros % width) + width) % width);

/** @returns the smallest multiple of `width` that is at least `micros` */
export const ceilTo = (micros: bigint, width: bigint): bigint => -floorTo(-micros, width);

/** @returns undefined outside the years 0001 to 9999 */
function canonical(epochMs: number, micros: string): string | undefined {
  if (!(epochMs >= -62_135_596_800_000 && epochMs < 253_402_300_800_000)) return undefined; // also NaN
  return `${secondOf(epochMs)}.${micros}Z`;
}

/** The last date: ten years of days have thousands of times, and `toISOString` for each takes several times as long. */
let known = { day: Number.NaN, date: '' };

/** Such as `2026-01-01T00:00:00`. */
function secondOf(epochMs: number): string {
  const second = Math.floor(epochMs / 1000);
  const day = Math.floor(second / 86_400);
  if (day !== known.day) known = { day, date: new Date(epochMs).toISOString().slice(0, -13) };
  const ofDay = second - 86_400 * day;
  return `${known.date}${digits(ofDay / 3600)}:${digits((ofDay / 60) % 60)}:${digits(ofDay % 60)}`;
}

const digits = (number: number, length = 2) => String(Math.floor(number)).padStart(length, '0');

/** The minute of an instant, such as `2026-01-01T00:00`. */
export const minuteOf = (time: string) => time.slice(0, 16);

/** From the shortest to the longest. */
export const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
export type Duration = `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/** @returns milliseconds, or undefined if the text is not a length of whole milliseconds, such as 1.5s or 10m */
export function parseDuration(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,12}(?:\.\d{1,3})?)(ms|[smhd])$/.exec(text) ?? [];
  const ms = Math.round(Number(count) * (UNIT_MS[unit] ?? Number.NaN) * 1000) / 1000;
  return Number.isInteger(ms) ? ms : undefined;
}

/** The form of lengths in a range; it parses them to milliseconds. */
export function durationBetween(least: Duration, most: Duration) {
  const [leastMs = 0, mostMs = 0] = [least, most].map(parseDuration);
  return {
    allowed: `a length of time from ${least} to ${most}, in ms, s, m, h or d`,
    parse(text: string): number | undefined {
      const ms = parseDuration(text) ?? Number.NaN;
      return ms >= leastMs && ms <= mostMs ? ms : undefined;
    },
  };
}
