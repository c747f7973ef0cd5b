// Reads a time by a pattern, such as DD.MM.YYYY HH:mm:ss, and finds the patterns that read a text.
import {
  AM,
  clockTimeOf,
  HALF,
  isWeekday,
  offsetsOf,
  PM,
  type ReadClock,
  tidy,
  ZONE,
} from './clock-fields.ts';

const OFFSET = 'Z|UTC|GMT|[+-]\\d{2}(?::?\\d{2})?';
/** A token, or literal text in brackets. */
const TOKEN = /\[([^\]]*)\]|YYYY|YY|MMM|MM|DD|ddd|HH|hh|mm|ss|S{3,9}|AM|ZZ/g;
const GROUPS: Readonly<Record<string, string>> = {
  YYYY: '(?<year>\\d{4})',
  YY: '(?<year>\\d{2})',
  MMM: '(?<monthName>\\p{L}{3,}\\.?)',
  ddd: '\\p{L}{2,}\\.?',
  AM: HALF,
  ZZ: ZONE,
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
  `^(?<year>\\d{4})-(?<month>\\d{2})-(?<day>\\d{2})[Tt ](?<hour>\\d{2}):(?<minute>\\d{2})(?::(?<second>\\d{2})${FRACTION})?\\s?(?<zone>[Zz]|${OFFSET})?$`,
);

/** Reads ISO 8601 with T or a space. Seconds and zone are optional. */
export const readIso: ReadClock = (text) => clockTimeOf(ISO.exec(text)?.groups);

export const PATTERN_ALLOWED =
  'a pattern of YYYY or YY, MM or MMM, DD, HH (or hh and AM), mm, ss, SSS, ZZ, and ddd for a weekday, with other text in [brackets], such as "DD.MM.YYYY HH:mm:ss". If the date has its own column, as in --columns date=Day,time=Clock, the pattern has both with a space between';

/**
 * Accepts one or two digits if the pattern has other characters on both sides. Always accepts a fraction after `ss`.
 *
 * @param isWhole whether the pattern must match the whole text
 * @param hasTime whether the pattern must contain the time of day
 * @returns undefined if the pattern lacks the day or the time of day, or has a token twice
 */
export function createPattern(
  pattern: string,
  { isWhole = true, hasTime = true } = {},
): ReadClock | undefined {
  let source = '';
  let last = 0;
  let isAfterDigits = false;
  const tokens = [...pattern.matchAll(TOKEN)];
  const names = tokens.map(([token]) => NUMBERS[token] ?? token[0]).filter((name) => name !== '[');
  const has = (...some: string[]) => tokens.some(([token]) => some.includes(token));
  if (!has('YYYY', 'YY') || !has('MM', 'MMM') || !has('DD') || new Set(names).size < names.length)
    return undefined;
  if (hasTime && !has('HH', 'hh')) return undefined;
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
  const matcher = new RegExp(isWhole ? `^${source}$` : source, 'iu');
  return (text) => clockTimeOf(matcher.exec(tidy(text))?.groups);
}

const TOKEN_FIRST = /YYYY|YY|MM|DD|HH|hh|mm|ss|S{3}/;

const plain = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replace(/\s+/g, '\\s+');

const ORDERS = ['YYYY MM DD', 'DD MM YYYY', 'MM DD YYYY', 'DD MM YY', 'MM DD YY', 'YY MM DD'];
/** What may follow a date directly, if there is nothing between its digits. */
const PACKED = ['', 'HH', 'HHmm', 'HHmmss', 'HHmmssSSS'];
const DATE = /(?<!\d)(?:\d{1,4}(?<mark>[^\d:]{1,2})\d{1,2}\k<mark>\d{1,4}|\d{8,17})(?!\d)/;
const HALVES = `(?<half>(?<!\\p{L})(?:${AM}|${PM})(?!\\p{L}))`;
const PARTS = new RegExp(
  `(?<clock>\\d{1,2}(?<minute>(?<between>[:.h]?)\\d{2}(?<second>\\k<between>\\d{2}(?<ms>\\k<between>\\d{3,9})?(?:[.,]\\d{1,9})?)?)?)(?!\\d)|(?<zone>(?:utc|gmt)?[+-]\\d{1,2}(?::?\\d{2})?)|${HALVES}|(?<word>\\p{L}[\\p{L}.]*)`,
  'giu',
);

/** @returns the patterns that can read the text */
export function patternsFor(text: string): string[] {
  const shown = tidy(text);
  const found = DATE.exec(shown);
  if (!found) return [];
  const hasHalf = new RegExp(HALVES, 'iu').test(shown);
  const { mark }: Record<string, string | undefined> = { ...found.groups };
  const [before = '', after = ''] = [
    shown.slice(0, found.index),
    shown.slice(found.index + found[0].length),
  ].map((part) => partPattern(part, hasHalf ? 'hh' : 'HH'));
  return ORDERS.filter((order) => !(mark?.startsWith('.') && order.startsWith('MM'))) // with dots, the day comes first
    .sort((a, b) => (hasHalf ? Number(b.startsWith('MM')) - Number(a.startsWith('MM')) : 0))
    .map((order) => order.replaceAll(' ', mark ?? ''))
    .flatMap((date) => (mark === undefined ? PACKED.map((clock) => date + clock) : [date]))
    .map((date) => before + date + after)
    .filter((pattern) => !/\d/.test(pattern) && createPattern(pattern)?.(shown) !== undefined);
}

/** The pattern of the text beside a date: tokens for the time of day and the zone, words in brackets. */
const partPattern = (text: string, hours: string) =>
  text.replace(PARTS, (all, ...rest) => {
    const groups: Record<string, string | undefined> = rest.at(-1);
    const { clock, minute, between = '', second, ms = '', half, zone } = groups;
    if (half !== undefined) return 'AM';
    if (zone !== undefined || offsetsOf(all, 0)) return 'ZZ';
    if (clock === undefined) return isWeekday(all) ? 'ddd' : `[${all}]`;
    const tokens = [hours, minute && 'mm', second && 'ss', 'S'.repeat(ms.slice(between.length).length)];
    return tokens.filter(Boolean).join(between === 'h' ? '[h]' : between);
  });
