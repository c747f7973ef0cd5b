// Reads the times of another logger's file: by their format, and by the zone of its clock.
import { instantOf, instantOfMicros, LAST_MICROS } from '../../contract/instant.ts';
import { createPattern, PATTERN_ALLOWED, type ReadClock, readIso } from './time-pattern.ts';
import { createWallClock, type WallClock } from './wall-clock.ts';

export type TimeFormat =
  | { readonly name: string; readonly digits: number }
  | { readonly name: string; readonly read: ReadClock };

/** What is wrong with a time, for any such time and for this one. */
export interface TimeFault {
  readonly kind: string;
  readonly fault: string;
}

export const FORMAT_ALLOWED = `iso, unix, unix-ms or ${PATTERN_ALLOWED}`;

export function parseTimeFormat(name: string): TimeFormat | undefined {
  if (name === 'iso') return { name, read: readIso };
  if (name === 'unix') return { name, digits: 6 };
  if (name === 'unix-ms') return { name, digits: 3 };
  const read = createPattern(name);
  return read && { name, read };
}

export interface TimeReader {
  /** @returns a canonical instant */
  read(text: string): string | TimeFault;
  /** How many of the times came twice in their zone. */
  repeated(): number;
  /** Another that goes on from here: by the times before, it is told which of two a time is that comes twice. */
  copy(): TimeReader;
}

/** @param zone of times that say none; undefined where all must say one */
export function createTimeReader(
  format: TimeFormat,
  zone: string | undefined,
  clock: WallClock | undefined = zone === undefined ? undefined : createWallClock(zone),
): TimeReader {
  const read = 'digits' in format ? countReader(format.digits) : clockReader(format.read, clock, zone);
  return {
    read: (text) => read(text) ?? misfit(text, format),
    repeated: () => clock?.repeated() ?? 0,
    copy: () => createTimeReader(format, zone, clock?.copy()),
  };
}

function misfit(text: string, { name }: TimeFormat): TimeFault {
  const other = suggestFormat(text, name);
  const advice = other ? `: try --time-format ${other}` : '; it must be as --time-format says';
  return {
    kind: `the time is not ${name}`,
    fault: `the time ${JSON.stringify(text.slice(0, 80))} is not ${name}${advice}`,
  };
}

type Read = (text: string) => string | TimeFault | undefined;

/** @param digits how many of a number make a microsecond */
function countReader(digits: number): Read {
  return (text) => {
    const [, whole, fraction = ''] = /^(\d{1,15})(?:[.,](\d{1,9}))?$/.exec(text) ?? [];
    if (whole === undefined) return undefined;
    const micros = BigInt(whole + fraction.slice(0, digits).padEnd(digits, '0'));
    return micros <= LAST_MICROS ? instantOfMicros(micros) : undefined;
  };
}

function clockReader(readClock: ReadClock, clock: WallClock | undefined, zone = ''): Read {
  return (text) => {
    const shown = readClock(text);
    if (!shown) return undefined;
    const { wallMs, micros, offsetMs } = shown;
    if (offsetMs === undefined && !clock)
      return {
        kind: 'the time says no zone: add --zone',
        fault: `the time ${JSON.stringify(text)} says no zone: tell that of the logger's clock, such as --zone Europe/Vienna or --zone UTC`,
      };
    const ms = offsetMs === undefined ? clock?.instantOf(wallMs) : wallMs - offsetMs;
    if (ms === undefined)
      return {
        kind: `the time does not exist in ${zone}`,
        fault: `the time ${JSON.stringify(text)} does not exist in ${zone}, where clocks went forward: for a clock that stays on winter time tell its offset, such as --zone +01:00`,
      };
    const year = new Date(ms).getUTCFullYear();
    return year >= 1 && year <= 9999 ? `${instantOf(ms).slice(0, 20)}${micros}Z` : undefined;
  };
}

/** @returns what --time-format may be for a time that does not fit; undefined where nothing else comes to mind */
function suggestFormat(text: string, tried: string): string | undefined {
  const clock = /\d[ T](\d{1,2}:\d{2}(?::\d{2})?)/.exec(text)?.[1];
  const time = clock === undefined ? '' : clock.length > 5 ? ' HH:mm:ss' : ' HH:mm';
  const half = /[AP]M$/i.test(text) ? `${time.replace('HH', 'hh')} AM` : time;
  const fitting = formatsLike(text, half);
  if (fitting.includes(tried)) return undefined;
  return fitting.map((name) => (/[ /]/.test(name) ? `"${name}"` : name)).join(' or ') || undefined;
}

/** @param time the pattern of the time of day, with a space before it; empty where there is none */
function formatsLike(text: string, time: string): readonly string[] {
  if (/^\d{9,10}([.,]\d+)?$/.test(text)) return ['unix'];
  if (/^\d{12,13}([.,]\d+)?$/.test(text)) return ['unix-ms'];
  if (/^\d{4}-\d{2}-\d{2}[ T]\d/.test(text)) return ['iso'];
  if (/^\d{4}\/\d{1,2}\/\d{1,2}\b/.test(text)) return [`YYYY/MM/DD${time}`];
  const [, mark, year = ''] = /^\d{1,2}([./-])\d{1,2}\1(\d{4}|\d{2})\b/.exec(text) ?? [];
  if (mark === undefined) return [];
  const orders = mark === '/' ? ['DD/MM', 'MM/DD'] : [`DD${mark}MM`];
  return orders.map((order) => `${order}${mark}${'Y'.repeat(year.length)}${time}`);
}
