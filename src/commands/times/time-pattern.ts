// Reads a time by a pattern, such as DD.MM.YYYY HH:mm:ss, and finds the patterns that read a text.
import { parseDuration } from '../../contract/instant.ts';
import {
  type ClockTime,
  clockTimeOf,
  DAY_LENGTH_MS,
  FRACTION,
  HALF,
  isWeekday,
  offsetsOf,
  type ReadClock,
  tidy,
  ZONE,
} from './clock-fields.ts';

const OFFSET = 'Z|UTC|GMT|[+-]\\d{2}(?::?\\d{2})?';
/** A token, literal text in brackets, or another character. */
const TOKEN = /\[([^\]]*)\]|YYYY|YY|MMM|MM|DD|ddd|HH|hh|mm|ss|S{3,9}|AM|ZZ|\s+|./gs;
const DIGITS = /^(?:YY|MM|DD|HH|hh|mm|ss|S{3})/;
const GROUPS: Readonly<Record<string, string>> = {
  YYYY: '(?<year>\\d{4})',
  YY: '(?<year>\\d{2})',
  MMM: '(?<monthName>\\p{L}{3,}\\.?)',
  ddd: '\\p{L}{2,}\\.?',
  AM: HALF,
  ZZ: ZONE,
};
const NUMBERS: Readonly<Record<string, string>> = {
  ...{ MM: 'month', DD: 'day' },
  ...{ HH: 'hour', hh: 'hour', mm: 'minute', ss: 'second' },
};
const ISO = new RegExp(
  `^(?<year>\\d{4})-(?<month>\\d{2})-(?<day>\\d{2})[Tt ](?<hour>\\d{2}):(?<minute>\\d{2})(?::(?<second>\\d{2})${FRACTION})?\\s?(?<zone>[Zz]|${OFFSET})?$`,
);

/** Reads ISO 8601 with T or a space. Seconds and zone are optional. */
export const readIso: ReadClock = (text) => clockTimeOf(ISO.exec(text)?.groups);

export const PATTERN_ALLOWED =
  'a pattern of YYYY or YY, MM or MMM, DD, HH (or hh and AM), mm, ss, SSS, ZZ, and ddd for a weekday, with other text in [brackets], such as "DD.MM.YYYY HH:mm:ss". If the date has its own column, as in --columns date=Day,time=Clock, the pattern has both with a space between';

/**
 * Accepts one or two digits if the pattern has other characters on both sides. Always accepts a fraction after `ss`.
 *
 * @param isPart whether it is a part of the text, and may lack the time of day
 * @returns undefined if the pattern lacks the day or the time of day, or has a token twice
 */
export function createPattern(pattern: string, isPart = false): ReadClock | undefined {
  const tokens = [...pattern.matchAll(TOKEN)];
  const source = tokens.map(({ 0: token, 1: literal, index }, n) => {
    const isTight = [tokens[n - 1], tokens[n + 1]].some((beside) => DIGITS.test(beside?.[0] ?? ''));
    const fraction = token === 'ss' && !/^.?S{3}/.test(pattern.slice(index + 2)) ? FRACTION : '';
    if (NUMBERS[token]) return `(?<${NUMBERS[token]}>\\d{${isTight ? '2' : '1,2'}})${fraction}`;
    if (/^S{3}/.test(token)) return `(?<fraction>\\d{${token.length}})`;
    return GROUPS[token] ?? plain(literal ?? token);
  });
  const needed = ['year', 'month', 'day', ...(isPart ? [] : ['hour'])];
  const isTwice = /(\(\?<[a-z]+)[N>].*\1[N>]/.test(source.join(''));
  if (isTwice || !needed.every((name) => source.some((part) => part.startsWith(`(?<${name}`))))
    return undefined;
  const matcher = new RegExp(isPart ? source.join('') : `^${source.join('')}$`, 'iu');
  return (text) => clockTimeOf(matcher.exec(tidy(text))?.groups);
}

const plain = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replace(/\s+/g, '\\s+');

const ORDERS = ['YYYY MM DD', 'DD MM YYYY', 'MM DD YYYY', 'DD MM YY', 'MM DD YY', 'YY MM DD'];
/** What may follow a date directly, if there is nothing between its digits. */
const PACKED = ['', 'HH', 'HHmm', 'HHmmss', 'HHmmssSSS'];
const DATE = /(?<!\d)(?:\d{1,4}(?<mark>[^\d:]{1,2})\d{1,2}\k<mark>\d{1,4}|\d{6,17})(?!\d)/;
const PARTS = new RegExp(
  `(?<clock>\\d{1,2}(?<minute>(?<between>[:.h]?)\\d{2}(?<second>\\k<between>\\d{2}(?<ms>\\k<between>\\d{3,9})?(?:[.,]\\d{1,9})?)?)?)(?!\\d)|(?<!\\0)(?<zone>(?:utc|gmt)?[+-]\\d{1,2}(?::?\\d{2})?)|(?<!\\p{L})${HALF}|(?<word>\\p{L}[\\p{L}.]*(?:/\\w+)*)`,
  'giu',
);

/** An interval of two times, or of a time and a length such as PT10M. */
const INTERVAL = /^(.{10,}?)\s*(?:\/|--| [-\u2013] )\s*(.+)$/;

/** @returns the start of an interval */
export function readIntervalStart(text: string, readClock: ReadClock): ClockTime | undefined {
  const [, start = '', end = ''] = INTERVAL.exec(text) ?? [];
  const isClock = /^\d{1,2}:\d\d(?::\d\d)?$/.test(end);
  const endText = isClock ? start.replace(/\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?$/, end) : end;
  const [from, to] = [start, endText].map(readClock);
  if (!from || !(to || isClock || /^PT?\d/.test(end))) return undefined;
  const ms = ({ wallMs, micros, offsetsMs: [offset = 0] = [] }: ClockTime) =>
    wallMs - offset + Number(micros) / 1000;
  const lengthMs = to ? ms(to) - ms(from) : lengthOf(end);
  return { ...from, lengthMs: isClock && lengthMs < 0 ? lengthMs + DAY_LENGTH_MS : lengthMs };
}

/** @returns milliseconds, for a text such as PT10M; 0 or NaN for years, months, weeks and other texts */
function lengthOf(text: string): number {
  const parts = /^P([\d.,]+D)?(T|$)/.test(text) ? text.matchAll(/[\d.,]+[DHMS]/g) : [];
  const partMs = ([part]: string[]) => parseDuration(`${part}`.replace(',', '.').toLowerCase()) ?? Number.NaN;
  return Array.from(parts, partMs).reduce((sum, ms) => sum + ms, 0);
}

/** @returns the patterns that can read the text, or the start of the interval that it is */
export const patternsFor = (text: string): string[] =>
  [text, INTERVAL.exec(text)?.[1] ?? ''].flatMap((part) => patternsOf(tidy(part)));

function patternsOf(shown: string): string[] {
  const { mark = '' }: Record<string, string | undefined> = { ...DATE.exec(shown)?.groups };
  const around = shown.replace(DATE, '\0').replace(PARTS, partPattern);
  const hasHalf = around.includes('AM');
  return (hasHalf ? ORDERS.toReversed() : ORDERS)
    .filter((order) => !mark.startsWith('.') || !order.startsWith('MM')) // with dots, the day comes first
    .map((order) => order.replaceAll(' ', mark))
    .flatMap((date) => (mark === '' ? PACKED.map((clock) => date + clock) : [date]))
    .map((date) => (hasHalf ? around.replace('HH', 'hh') : around).replace('\0', date))
    .filter((pattern) => !/\d/.test(pattern) && createPattern(pattern)?.(shown) !== undefined);
}

/** The pattern of a part of the text beside a date: tokens for the time of day and the zone, words in brackets. */
function partPattern(all: string, ...rest: unknown[]): string {
  const groups: Record<string, string | undefined> = Object(rest.at(-1));
  const { clock, minute, between = '', second, ms = '', am, pm, zone } = groups;
  if (am ?? pm) return 'AM';
  if (zone !== undefined || offsetsOf(all, 0)) return 'ZZ';
  if (clock === undefined) return isWeekday(all) ? 'ddd' : `[${all}]`;
  const tokens = ['HH', minute && 'mm', second && 'ss', 'S'.repeat(ms.slice(between.length).length)];
  return tokens.filter(Boolean).join(between === 'h' ? '[h]' : between);
}
