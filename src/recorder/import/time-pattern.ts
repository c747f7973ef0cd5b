// Reads a time that was written by a pattern, such as DD.MM.YYYY HH:mm:ss, as the fields that a calendar and a clock show.

/** What a clock showed, with the zone where it said one. */
export interface ClockTime {
  /** Milliseconds since 1970 if the zone were UTC, whole seconds. */
  readonly wallMs: number;
  /** Six digits. */
  readonly micros: string;
  /** In milliseconds; undefined where the text says no zone. */
  readonly offsetMs: number | undefined;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const ZONE = 'Z|UTC|GMT|[+-]\\d{2}(?::?\\d{2})?';
/** A token, or text in brackets, which stands for itself. */
const TOKEN = /\[([^\]]*)\]|YYYY|YY|MMM|MM|DD|HH|hh|mm|ss|S{3,9}|AM|ZZ/g;
const GROUPS: Readonly<Record<string, string>> = {
  YYYY: '(?<year>\\d{4})',
  YY: '(?<shortYear>\\d{2})',
  MMM: '(?<monthName>[A-Za-z]{3})',
  AM: '(?<half>[AaPp])[Mm]',
  ZZ: `(?<zone>${ZONE})`,
};
const NUMBERS: Readonly<Record<string, string>> = {
  MM: 'month',
  DD: 'day',
  HH: 'hour',
  hh: 'hour',
  mm: 'minute',
  ss: 'second',
};
const FRACTION = '(?:[.,](?<fraction>\\d{1,9}))?';

const ISO = new RegExp(
  `^(?<year>\\d{4})-(?<month>\\d{2})-(?<day>\\d{2})[Tt ](?<hour>\\d{2}):(?<minute>\\d{2})(?::(?<second>\\d{2})${FRACTION})?\\s?(?<zone>[Zz]|${ZONE})?$`,
);

export type ReadClock = (text: string) => ClockTime | undefined;

/** Reads ISO 8601 with T or a space, with seconds or without, with a zone or without. */
export const readIso: ReadClock = (text) => fieldsOf(ISO.exec(text)?.groups);

export const PATTERN_ALLOWED =
  'a pattern of YYYY or YY, MM or MMM, DD, HH (or hh and AM), mm, ss, SSS and ZZ, with other text in [brackets], such as "DD.MM.YYYY HH:mm:ss"';

/**
 * One or two digits are read where the pattern has another character on both sides, and a fraction after `ss` always.
 *
 * @returns undefined where the pattern does not tell a day, or has a token twice
 */
export function createPattern(pattern: string, { isWhole = true } = {}): ReadClock | undefined {
  let source = '';
  let last = 0;
  let isAfterDigits = false;
  const tokens = [...pattern.matchAll(TOKEN)];
  const names = tokens.map(([token]) => NUMBERS[token] ?? token[0]).filter((name) => name !== '[');
  const has = (...some: string[]) => tokens.some(([token]) => some.includes(token));
  if (!has('YYYY', 'YY') || !has('MM', 'MMM') || !has('DD') || new Set(names).size < names.length)
    return undefined;
  for (const { 0: token, 1: literal, index } of tokens) {
    source += plain(pattern.slice(last, index));
    isAfterDigits &&= index === last;
    last = index + token.length;
    const next = pattern.slice(last);
    const isBeforeDigits = next.search(TOKEN_FIRST) === 0;
    const name = NUMBERS[token];
    if (literal !== undefined) source += plain(literal);
    else if (name) source += `(?<${name}>\\d{${isAfterDigits || isBeforeDigits ? '2' : '1,2'}})`;
    else if (token.startsWith('S')) source += `(?<fraction>\\d{${token.length}})`;
    else source += GROUPS[token] ?? '';
    if (token === 'ss' && !/^.?S{3}/.test(next)) source += FRACTION;
    isAfterDigits = literal === undefined;
  }
  source += plain(pattern.slice(last));
  const matcher = new RegExp(isWhole ? `^${source}$` : source);
  return (text) => fieldsOf(matcher.exec(text)?.groups);
}

const TOKEN_FIRST = /YYYY|YY|MM|DD|HH|hh|mm|ss|S{3}/;

const plain = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function fieldsOf(groups: Partial<Record<string, string>> | undefined): ClockTime | undefined {
  if (!groups) return undefined;
  const number = (name: string) => Number(groups[name] ?? 0);
  const { shortYear, monthName, half, zone, fraction = '' } = groups;
  const year = shortYear === undefined ? number('year') : 2000 + Number(shortYear);
  const month = monthName === undefined ? number('month') : MONTHS.indexOf(monthName.toLowerCase()) + 1;
  const [day, minute, second] = [number('day'), number('minute'), number('second')];
  let hour = number('hour');
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return undefined;
    hour = (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  }
  if (year < 1 || hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day); // unlike Date.UTC, takes years below 100 as they are
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  date.setUTCHours(hour, minute, second);
  const offsetMs = zone === undefined ? undefined : parseOffset(zone);
  if (Number.isNaN(offsetMs)) return undefined;
  return { wallMs: date.getTime(), micros: fraction.slice(0, 6).padEnd(6, '0'), offsetMs };
}

/** @returns milliseconds; NaN for what is none */
export function parseOffset(zone: string): number {
  if (/^(z|utc|gmt)$/i.test(zone)) return 0;
  const [, sign, hours, minutes = '0'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  if (Number(hours) > 23 || Number(minutes) > 59) return Number.NaN;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
