// Reads a clock time from the named parts of a text: year, month, day, hour and so on.
import { isZone, type TimeZoneClock, timeZoneClock } from '../../contract/time-zone-clock.ts';

export interface ClockTime {
  /** Milliseconds since 1970 as if the zone were UTC, in whole seconds. */
  readonly wallMs: number;
  /** Six digits. */
  readonly micros: string;
  /** The offsets, in milliseconds, that the zone in the text may stand for; undefined if there is none. */
  readonly offsetsMs?: readonly number[];
  /** The name of that zone, such as CEST. Unlike a plain offset, it must agree with `--zone`. */
  readonly zone?: string | undefined;
  /** The unit of a number, such as `Unix seconds`. */
  readonly unit?: string;
  /** The length of an interval, whose start this is, in milliseconds; 0 or NaN if it is not known. */
  readonly lengthMs?: number;
}

export type ReadClock = (text: string) => ClockTime | undefined;

const LANGUAGES = ['en', 'de', 'fr', 'es', 'it'];
const HOUR_MS = 3_600_000;
export const DAY_LENGTH_MS = 24 * HOUR_MS;

/** Names of zones that clocks print, by their offsets in hours. Some stand for several. */
const ZONE_NAMES = `hst-10 akst-9 akdt-8 pst-8 pdt-7 mst-7 mdt-6 cst-6 cdt-5 est-5 edt-4 ast-4 nst-3.5 adt-3 brt-3 ndt-2.5
 wet+0 west+1 bst+1 ist+1 cet+1 mez+1 cest+2 mesz+2 eet+2 sast+2 ist+2 eest+3 msk+3 ist+5.5 awst+8 cst+8 jst+9 kst+9
 acst+9.5 aest+10 acdt+10.5 aedt+11 nzst+12 nzdt+13`;

/** AM and PM, as locales print them. */
const AM = '[aα]\\.?\\s?m\\.?|π\\.?\\s?μ\\.?|오전|上午|午前';
const PM = 'p\\.?\\s?m\\.?|μ\\.?\\s?μ\\.?|오후|下午|午後';
/** Behind a second. Some loggers write milliseconds after a colon. */
export const FRACTION = '(?:(?:[.,]|:(?=\\d{3}(?!\\d)))(?<fraction>\\d{1,9}))?';
export const HALF = `(?:(?<am>${AM})|(?<pm>${PM}))(?!\\p{L})`;
const ZONE_NAME = '(?:utc|gmt)?[+-]\\d{1,2}(?::?\\d{2})?|\\p{L}{3,5}|\\p{L}[\\w+-]*/[\\w/+-]*';
export const ZONE = `(?:(?<zone>z|${ZONE_NAME})(?![\\p{L}\\d]))`;
/** A zone; and behind it, or in its place, one in parentheses or brackets. */
export const ZONES = `(?:\\s?${ZONE})?(?:\\s?[([]!?(?<place>[^()[\\]]+)[)\\]](?:\\[[\\w-]+=[^\\]]*\\])*)?`;

const plainLetters = (text: string) =>
  text
    .normalize('NFD')
    .replace(/\p{M}|\./gu, '')
    .toLowerCase();

/** @returns the names of each of `count` months or days, in all languages */
function namesOf(options: Intl.DateTimeFormatOptions, count: number, nth: (index: number) => number) {
  const formats = LANGUAGES.map(
    (language) => new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }),
  );
  return Array.from({ length: count }, (_, index) =>
    formats.map((format) => plainLetters(format.format(nth(index)))),
  );
}

const MONTHS = namesOf({ month: 'long' }, 12, (month) => Date.UTC(2026, month, 15));
const WEEKDAYS = namesOf({ weekday: 'long' }, 7, (day) => Date.UTC(2026, 0, 5 + day)).flat();

/** @returns 1 to 12 for a month's name or at least its first 3 letters, in English, German, French, Spanish or Italian */
function monthOf(name: string): number | undefined {
  const start = plainLetters(name) === 'mrz' ? 'mar' : plainLetters(name);
  const fitting = MONTHS.flatMap((names, month) =>
    names.some((full) => full.startsWith(start)) ? [month + 1] : [],
  );
  return start.length >= 3 && fitting.length === 1 ? fitting[0] : undefined;
}

export function isWeekday(name: string): boolean {
  const start = plainLetters(name);
  return start.length >= 2 && WEEKDAYS.some((full) => full.startsWith(start));
}

/** Removes text direction marks, and collapses blanks. */
export const tidy = (text: string): string =>
  text
    .replace(/[\u200e\u200f\u202a-\u202e]/g, '')
    .replace(/\s+/g, ' ')
    .trim();

/** @returns undefined if the parts are not a date and time; 24:00 is 00:00 of the next day, second 60 the next minute */
export function clockTimeOf(groups: Partial<Record<string, string>> | undefined): ClockTime | undefined {
  if (!groups) return undefined;
  const number = (name: string) => Number(groups[name] ?? 0);
  const { year: yearText = '', monthName, am, pm, zone, place, fraction = '' } = groups;
  const year = yearText.length === 2 ? 2000 + Number(yearText) : Number(yearText);
  const month = monthName === undefined ? number('month') : (monthOf(monthName) ?? 0);
  const [day, minute, second] = [number('day'), number('minute'), number('second')];
  let hour = number('hour');
  if (am ?? pm) {
    if (hour < 1 || hour > 12) return undefined;
    hour = (hour % 12) + (pm ? 12 : 0);
  }
  const isMidnight = hour === 24 && minute === 0 && second === 0 && Number(fraction) === 0;
  if (year < 1 || (hour > 23 && !isMidnight) || minute > 59 || second > 60) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day); // unlike Date.UTC, does not add 1900 to years below 100
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  date.setUTCHours(hour, minute, second);
  const wallMs = date.getTime();
  const micros = fraction.slice(0, 6).padEnd(6, '0');
  const name = zone ?? place;
  if (name === undefined) return { wallMs, micros };
  const own = offsetsOf(name, wallMs);
  const placed = place === undefined || /^z$/i.test(name) ? undefined : offsetsOf(place, wallMs);
  const offsetsMs = placed ? own?.filter((ms) => placed.includes(ms)) : own;
  if (!offsetsMs?.length) return undefined;
  return { wallMs, micros, offsetsMs, zone: OFFSET.test(name) ? undefined : name };
}

const OFFSET = /^(?:z|utc|gmt|[+-]\d{2}:?(?:\d{2})?)$/i;
const clocks = new Map<string, TimeZoneClock | undefined>();

/** @returns the offsets, in milliseconds, that a zone may have at that time; undefined if the text is not a zone */
export function offsetsOf(zone: string, wallMs: number): readonly number[] | undefined {
  if (/^(z|utc|gmt)$/i.test(zone)) return [0];
  const [, sign, hours, minutes = '0'] = /^(?:utc|gmt)?([+-])(\d{1,2})(?::?(\d{2}))?$/i.exec(zone) ?? [];
  if (sign)
    return Number(hours) > 23 || Number(minutes) > 59
      ? undefined
      : [(sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000];
  const named = /^\p{L}+$/u.test(zone)
    ? [...ZONE_NAMES.matchAll(new RegExp(`\\b${zone}([+-]\\S+)`, 'gi'))]
    : [];
  if (named.length > 0) return named.map(([, hours]) => Number(hours) * HOUR_MS);
  if (!clocks.has(zone))
    clocks.set(zone, zone.includes('/') && isZone(zone) ? timeZoneClock(zone) : undefined);
  return clocks
    .get(zone)
    ?.instantsOf(wallMs)
    .map((instant) => wallMs - instant);
}

const IN_NAME =
  /(?:^|[\s,_([])((?:utc|UTC|gmt|GMT)(?:[+-]\d{1,2}(?::?\d{2})?)?|[+-]\d{2}:\d{2}|[A-Z]\w+\/[\w/]+|[A-Z]{3,4})[)\]]?$/;

/** The zone that the name of a column ends in, as in `Date Time, GMT-05:00`. */
export function zoneInName(name: string): string | undefined {
  const [, zone] = IN_NAME.exec(name.trim()) ?? [];
  return zone !== undefined && offsetsOf(zone, 0) ? zone : undefined;
}
