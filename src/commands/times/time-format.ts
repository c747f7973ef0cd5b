// Reads the times in another logger's file, by their format and the zone of its clock.
import { instantOf } from '../../contract/instant.ts';
import { timeZoneClock } from '../../contract/time-zone-clock.ts';
import type { Fault } from '../fault.ts';
import { type ClockTime, type ReadClock, tidy } from './clock-fields.ts';
import { createClockReader } from './clock-text.ts';
import { createLogClock, type LogClock } from './log-clock.ts';
import { ANY_TIME, implausible, type TimeCheck } from './time-check.ts';
import { countReader, EXPONENT, plainNumber, readSerial, UNITS } from './time-numbers.ts';
import { createPattern, PATTERN_ALLOWED, patternsFor, readIso } from './time-pattern.ts';

export type TimeFormat =
  | { readonly name: 'auto' }
  /** How many decimal places to shift a number to get microseconds. */
  | { readonly name: string; readonly digits: number }
  | { readonly name: string; readonly read: ReadClock };

export const AUTO: TimeFormat = { name: 'auto' };
export const FORMAT_ALLOWED = `auto, iso, unix, unix-ms, excel or ${PATTERN_ALLOWED}`;

export function parseTimeFormat(name: string): TimeFormat | undefined {
  if (name === 'auto') return AUTO;
  if (name === 'iso') return { name, read: readIso };
  if (name === 'unix') return { name, digits: 6 };
  if (name === 'unix-ms') return { name, digits: 3 };
  if (name === 'excel') return { name, read: readSerial };
  const read = createPattern(name);
  return read && { name, read };
}

export interface TimeFault extends Fault {
  readonly isNoTime?: true;
}

export interface TimeReader {
  /** @returns a canonical instant */
  read(text: string): string | TimeFault;
  /** How many times fell into a repeated hour of their zone. */
  repeated(): number;
  /** The detected unit of numeric times, such as `Unix nanoseconds`. Undefined if none was detected. */
  unit(): string | undefined;
  /** A copy with the same state, because earlier times decide which instant a repeated time means. */
  copy(): TimeReader;
}

/**
 * @param zone the zone of times without one; undefined if all must have one
 * @param check refuses instants
 */
export function createTimeReader(
  format: TimeFormat,
  zone: string | undefined,
  check: TimeCheck = ANY_TIME,
  clock: LogClock | undefined = zone === undefined ? undefined : createLogClock(timeZoneClock(zone)),
): TimeReader {
  let unit: string | undefined;
  const readAny = createClockReader();
  const readClock = 'read' in format ? format.read : (text: string) => readIso(text) ?? readAny(text);
  const readText = clockReader((text) => readClock(text) ?? startOf(text, readClock), clock, zone);

  /** Counts since 1970: for present-day times, the number of digits shows the unit. */
  function readAuto(text: string) {
    const found = UNITS.get(/^\d+(?=[.,]\d+$|$)/.exec(text)?.[0].length ?? 0);
    if (found) unit = found.unit;
    return found?.read(text) ?? readText(text);
  }

  const read = 'digits' in format ? countReader(format.digits) : 'read' in format ? readText : readAuto;
  const advise = (texts: readonly string[]) => formatAdvice(texts, format.name, zone, check);
  return {
    read(text) {
      const plain = EXPONENT.test(text) ? plainNumber(text) : text;
      if (plain === undefined) return lostDigits(text);
      const time = read(plain) ?? misfit(text, format, advise);
      const wrong = typeof time === 'string' ? check(time) : undefined;
      return wrong === undefined ? time : implausible(`${time}`, wrong, text, advise);
    },
    repeated: () => clock?.repeated() ?? 0,
    unit: () => unit,
    copy: () => createTimeReader(format, zone, check, clock?.copy()),
  };
}

const quoted = (text: string) => JSON.stringify(text.slice(0, 80));

const lostDigits = (text: string): TimeFault => ({
  kind: 'the time has lost its digits',
  fault: `the time ${quoted(text)} has lost its digits: export the column as text, or as a number without an exponent`,
});

const misfit = (text: string, { name }: TimeFormat, advise: Advise): TimeFault => {
  const what = name === 'auto' ? 'not understood' : `not ${name}`;
  return {
    kind: `the time is ${what}`,
    fault: `the time ${quoted(text)} is ${what}`,
    isNoTime: true,
    text,
    advise: (texts) => advise(texts) || otherAdvice(text, name),
  };
};

type Advise = (texts: readonly string[]) => string;

/** Advises the formats that read the first text, and the most of the others: those with the latest times first. */
function formatAdvice(
  texts: readonly string[],
  tried: string,
  zone: string | undefined,
  check: TimeCheck,
): string {
  const [first = ''] = texts;
  const zones = [zone, zone === undefined ? 'UTC' : undefined];
  const found = ['auto', ...patternsFor(first)].flatMap((name) => {
    const format = name === tried ? undefined : parseTimeFormat(name);
    return zones
      .map((by) => {
        const read = format && createTimeReader(format, by, check).read;
        const times = read ? [first, ...texts].map(read) : [];
        const [time] = times;
        return { name, by, time, count: times.filter((time) => typeof time === 'string').length };
      })
      .filter(({ time }) => typeof time === 'string')
      .slice(0, 1);
  });
  const most = Math.max(...found.map(({ count }) => count));
  const fitting = found
    .filter(({ count }) => count === most)
    .sort((a, b) => Number(`${b.time}`.slice(0, 4)) - Number(`${a.time}`.slice(0, 4)));
  if (!fitting[0]) return '';
  const formats = fitting.map(({ name }) => (name === 'auto' ? name : JSON.stringify(name))).join(' or ');
  const ofClock = " and the zone of the logger's clock, such as --zone UTC";
  const also = fitting[0].by === zone ? '' : zone === undefined ? ofClock : ' without --zone';
  return `: try --time-format ${formats}${also}`;
}

function otherAdvice(text: string, tried: string): string {
  const part = isDate(text) ? 'time of day' : /^\d{1,2}:\d{2}/.test(text) ? 'date' : undefined;
  if (part)
    return `: it has no ${part}. If another column has it, read both, such as --columns "date=Date,time=Time"`;
  if (/^\d{5}([.,]\d+)?$/.test(text)) return ': try --time-format excel if it counts days since 1900';
  return tried === 'auto'
    ? '; describe it with --time-format, a pattern of the letters YYYY MM DD HH mm ss'
    : '; it must be as --time-format says';
}

const isDate = (text: string) =>
  /^(\d{1,2}([./-])\d{1,2}\2\d{2,4}|\d{4}[./-]?\d{1,2}[./-]?\d{1,2})$/.test(tidy(text));

/** An interval of two times, or of a time and a length such as PT10M. */
const INTERVAL = /^(.{10,}?)(?:\/|--| [-\u2013] )(.+)$/;

/** @returns the start of an interval */
function startOf(text: string, readClock: ReadClock): ClockTime | undefined {
  const [, start = '', end = ''] = INTERVAL.exec(text) ?? [];
  return /^PT?\d/.test(end) || readClock(end.trim()) ? readClock(start.trim()) : undefined;
}

type Read = (text: string) => string | TimeFault | undefined;

function clockReader(readClock: ReadClock, clock: LogClock | undefined, zone = ''): Read {
  return (text) => {
    const shown = readClock(text);
    if (!shown) return undefined;
    const { wallMs, micros, offsetMs, named } = shown;
    if (offsetMs === undefined && !clock && named?.offsetsMs.length !== 1)
      return {
        kind: 'the time has no zone: add --zone',
        fault: named
          ? `the time ${quoted(text)} has the ambiguous zone ${named.name}: give the zone of the logger's clock, such as --zone America/Chicago`
          : `the time ${quoted(text)} has no zone: give the zone of the logger's clock, such as --zone Europe/Vienna or --zone UTC`,
      };
    const ms =
      offsetMs !== undefined
        ? wallMs - offsetMs
        : named
          ? instantIn(named, wallMs)
          : clock?.instantOf(wallMs);
    if (ms === undefined && named)
      return {
        kind: `the time does not belong to ${zone}`,
        fault: `the time ${quoted(text)} is in ${named.name}, but ${zone} has another offset at that time: ${named.offsetsMs.length === 1 ? 'leave out --zone, or ' : ''}give the zone of the logger's clock with --zone`,
      };
    if (ms === undefined)
      return {
        kind: `the time does not exist in ${zone}`,
        fault: `the time ${quoted(text)} does not exist in ${zone}, because clocks went forward: for a clock that stays on winter time give its offset, such as --zone +01:00`,
      };
    const year = new Date(ms).getUTCFullYear();
    return year >= 1 && year <= 9999 ? `${instantOf(ms).slice(0, 20)}${micros}Z` : undefined;
  };

  /** @returns undefined if the zone has none of these offsets at that time */
  function instantIn({ offsetsMs }: { offsetsMs: readonly number[] }, wallMs: number): number | undefined {
    const instants = offsetsMs.map((offset) => wallMs - offset);
    return clock ? instants.find((ms) => clock.offsetAt(ms) === wallMs - ms) : instants[0];
  }
}
