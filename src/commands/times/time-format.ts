// Reads the times in another logger's file, by their format and the zone of its clock.
import { instantOf, instantOfMicros, LAST_MICROS } from '../../contract/instant.ts';
import { timeZoneClock } from '../../contract/time-zone-clock.ts';
import type { Fault } from '../fault.ts';
import { type ClockTime, type ReadClock, tidy } from './clock-fields.ts';
import { createClockReader } from './clock-text.ts';
import { createLogClock, type LogClock } from './log-clock.ts';
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

export interface TimeReader {
  /** @returns a canonical instant */
  read(text: string): string | Fault;
  /** How many times fell into a repeated hour of their zone. */
  repeated(): number;
  /** The detected unit of numeric times, such as `Unix nanoseconds`. Undefined if none was detected. */
  unit(): string | undefined;
  /** A copy with the same state, because earlier times decide which instant a repeated time means. */
  copy(): TimeReader;
}

/** @param zone the zone of times without one; undefined if all must have one */
export function createTimeReader(
  format: TimeFormat,
  zone: string | undefined,
  clock: LogClock | undefined = zone === undefined ? undefined : createLogClock(timeZoneClock(zone)),
): TimeReader {
  let unit: string | undefined;
  const readAny = createClockReader();
  const readClock = 'read' in format ? format.read : (text: string) => readIso(text) ?? readAny(text);
  const readText = clockReader(readClock, clock, zone);

  /** Counts since 1970: for present-day times, the number of digits shows the unit. */
  function readAuto(text: string) {
    const plain = /^\d\.\d+e\+\d\d$/i.test(text) ? Number(text).toFixed(6) : text; // as numpy writes it
    const found = UNITS.get(/^\d+(?=[.,]\d+$|$)/.exec(plain)?.[0].length ?? 0);
    if (found) unit = found.unit;
    return found?.read(plain) ?? readText(text);
  }

  const read = 'digits' in format ? countReader(format.digits) : 'read' in format ? readText : readAuto;
  return {
    read: (text) => read(text) ?? misfit(text, format),
    repeated: () => clock?.repeated() ?? 0,
    unit: () => unit,
    copy: () => createTimeReader(format, zone, clock?.copy()),
  };
}

function misfit(text: string, { name }: TimeFormat): Fault {
  const shown = JSON.stringify(text.slice(0, 80));
  const what = name === 'auto' ? 'not understood' : `not ${name}`;
  return {
    kind: `the time is ${what}`,
    fault: `the time ${shown} is ${what}`,
    text,
    advise: (texts) => adviceOn(texts, name),
  };
}

/** Suggests the formats that read the first text and the most of the others. */
function adviceOn(texts: readonly string[], tried: string): string {
  const [text = ''] = texts;
  const counts = ['auto', ...patternsFor(text)].flatMap((name) => {
    const format = name === tried ? undefined : parseTimeFormat(name);
    const reads = format && createTimeReader(format, 'UTC').read;
    const count = texts.filter((text) => typeof reads?.(text) === 'string').length;
    return reads && typeof reads(text) === 'string' ? [{ name, count }] : [];
  });
  const most = Math.max(...counts.map(({ count }) => count));
  const fitting = counts.filter(({ count }) => count === most).map(({ name }) => name);
  if (fitting.length > 0)
    return `: try --time-format ${fitting.map((name) => (name === 'auto' ? name : JSON.stringify(name))).join(' or ')}`;
  if (isDate(text))
    return ': it has no time of day. If another column has it, read both, such as --columns "date=Date,time=Time"';
  if (/^\d{1,2}:\d{2}/.test(text))
    return ': it has no date. If another column has it, read both, such as --columns "date=Date,time=Time"; otherwise add the date to each line';
  if (/^\d{5}([.,]\d+)?$/.test(text)) return ': try --time-format excel if it counts days since 1900';
  return tried === 'auto'
    ? '; describe it with --time-format, a pattern of the letters YYYY MM DD HH mm ss'
    : '; it must be as --time-format says';
}

const isDate = (text: string) =>
  /^(\d{1,2}([./-])\d{1,2}\2\d{2,4}|\d{4}[./-]?\d{1,2}[./-]?\d{1,2})$/.test(tidy(text));

type Read = (text: string) => string | Fault | undefined;

function countReader(digits: number): Read {
  return (text) => {
    const [, whole, fraction = ''] = /^(\d{1,19})(?:[.,](\d{1,9}))?$/.exec(text) ?? [];
    if (whole === undefined) return undefined;
    const micros = BigInt(
      digits < 0 ? whole.slice(0, digits) || '0' : whole + fraction.slice(0, digits).padEnd(digits, '0'),
    );
    return micros <= LAST_MICROS ? instantOfMicros(micros) : undefined;
  };
}

const UNITS = new Map([
  [10, { unit: 'Unix seconds', read: countReader(6) }],
  [13, { unit: 'Unix milliseconds', read: countReader(3) }],
  [16, { unit: 'Unix microseconds', read: countReader(0) }],
  [19, { unit: 'Unix nanoseconds', read: countReader(-3) }],
]);

const DAYS_TO_1970 = 25_569;
const DAY_MS = 86_400_000;

/** Reads days since the end of 1899, as spreadsheets count them, to the millisecond. */
function readSerial(text: string): ClockTime | undefined {
  if (!/^\d{1,6}([.,]\d{1,20})?$/.test(text)) return undefined;
  const ms = Math.round((Number(text.replace(',', '.')) - DAYS_TO_1970) * DAY_MS);
  const fraction = ((ms % 1000) + 1000) % 1000;
  return { wallMs: ms - fraction, micros: `${String(fraction).padStart(3, '0')}000`, offsetMs: undefined };
}

function clockReader(readClock: ReadClock, clock: LogClock | undefined, zone = ''): Read {
  return (text) => {
    const shown = readClock(text);
    if (!shown) return undefined;
    const { wallMs, micros, offsetMs, named } = shown;
    const quoted = JSON.stringify(text.slice(0, 80));
    if (offsetMs === undefined && !clock && named?.offsetsMs.length !== 1)
      return {
        kind: 'the time has no zone: add --zone',
        fault: named
          ? `the time ${quoted} has the ambiguous zone ${named.name}: give the zone of the logger's clock, such as --zone America/Chicago`
          : `the time ${quoted} has no zone: give the zone of the logger's clock, such as --zone Europe/Vienna or --zone UTC`,
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
        fault: `the time ${quoted} is in ${named.name}, but ${zone} has another offset at that time: give the zone of the logger's clock with --zone`,
      };
    if (ms === undefined)
      return {
        kind: `the time does not exist in ${zone}`,
        fault: `the time ${quoted} does not exist in ${zone}, because clocks went forward: for a clock that stays on winter time give its offset, such as --zone +01:00`,
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
