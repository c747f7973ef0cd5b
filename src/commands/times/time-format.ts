// Reads the times in another logger's file, by their format and the zone of its clock.
import { FIRST_INSTANT, instantOf } from '../../contract/instant.ts';
import { timeZoneClock } from '../../contract/time-zone-clock.ts';
import type { TextFault } from '../fault.ts';
import type { ClockTime, ReadClock } from './clock-fields.ts';
import { createClockReader } from './clock-text.ts';
import { createLogClock, type LogClock } from './log-clock.ts';
import { formatAdvice, otherAdvice } from './time-advice.ts';
import { ANY_TIME, implausible, type TimeCheck } from './time-check.ts';
import { countReader, readSerial, readUnixCount } from './time-numbers.ts';
import { createPattern, PATTERN_ALLOWED, patternsFor, readIntervalStart, readIso } from './time-pattern.ts';

export interface TimeFormat {
  readonly name: string;
  /** Undefined for any time that is unambiguous. */
  readonly read?: ReadClock;
}

export const AUTO: TimeFormat = { name: 'auto' };
export const FORMAT_ALLOWED = `auto, iso, unix, unix-ms, excel or ${PATTERN_ALLOWED}`;

export function parseTimeFormat(name: string): TimeFormat | undefined {
  if (name === 'auto') return AUTO;
  if (name === 'iso') return { name, read: readIso };
  if (name === 'unix') return { name, read: countReader(0) };
  if (name === 'unix-ms') return { name, read: countReader(3) };
  if (name === 'excel') return { name, read: readSerial };
  const read = createPattern(name);
  return read && { name, read };
}

export interface TimeFault extends TextFault {
  readonly isNoTime?: true;
}

export interface TimeReader {
  /** @param millis milliseconds to add. @returns a canonical instant */
  read(text: string, millis?: string): string | TimeFault;
  /** How many times fell into a repeated hour of their zone. */
  repeated(): number;
  /** The detected unit of numeric times, such as `Unix nanoseconds`. Undefined if none was detected. */
  unit(): string | undefined;
  /** A copy with the same state, because earlier times decide which instant a repeated time means. */
  copy(): TimeReader;
}

export interface LogTimes {
  /** The zone of times without one; undefined if all must have one. */
  readonly zone?: string | undefined;
  /** Refuses instants. */
  readonly check?: TimeCheck;
  /** How far times lie behind what they stand for, in milliseconds. Intervals stand for their start. */
  readonly stampMs?: number;
}

export function createTimeReader(
  format: TimeFormat,
  log: LogTimes = {},
  clock: LogClock | undefined = log.zone === undefined ? undefined : createLogClock(timeZoneClock(log.zone)),
): TimeReader {
  const { zone, check = ANY_TIME, stampMs = 0 } = log;
  const readAny = createClockReader();
  const readClock = format.read ?? ((text) => readUnixCount(text) ?? readIso(text) ?? readAny(text));
  let unit: string | undefined;
  const readBy = (name: string, by: string | undefined) => {
    const { read } = createTimeReader(parseTimeFormat(name) ?? AUTO, { ...log, zone: by });
    return (text: string) => read(text);
  };
  const advise = (texts: readonly string[]) => formatAdvice(texts, format.name, zone, readBy);
  let [tried, hasOther] = [0, false];

  /** @returns milliseconds since 1970 */
  function msOf({ wallMs, offsetMs, named }: ClockTime, text: string): number | TimeFault {
    if (offsetMs !== undefined) return wallMs - offsetMs;
    if (!clock && named?.offsetsMs.length !== 1)
      return fault(
        text,
        'has no zone: add --zone',
        named
          ? `has the ambiguous zone ${named.name}: give the zone of the logger's clock, such as --zone America/Chicago`
          : "has no zone: give the zone of the logger's clock, such as --zone Europe/Vienna or --zone UTC",
      );
    const instants = named?.offsetsMs.map((offset) => wallMs - offset);
    const ms = instants
      ? instants.find((ms) => !clock || clock.offsetAt(ms) === wallMs - ms)
      : clock?.instantOf(wallMs);
    if (ms !== undefined) return ms;
    const orElse = named?.offsetsMs.length === 1 ? 'leave out --zone, or ' : '';
    return named
      ? fault(
          text,
          `does not belong to ${zone}`,
          `is in ${named.name}, but ${zone} has another offset at that time: ${orElse}give the zone of the logger's clock with --zone`,
        )
      : fault(
          text,
          `does not exist in ${zone}`,
          `does not exist in ${zone}, because clocks went forward: for a clock that stays on winter time give its offset, such as --zone +01:00`,
        );
  }

  function misfit(text: string): TimeFault {
    const what = format.read ? `not ${format.name}` : 'not understood';
    const other = (texts: readonly string[]) => advise(texts) || otherAdvice(text, format.name);
    return { ...fault(text, `is ${what}`, `is ${what}`), isNoTime: true, text, advise: other };
  }

  /** Whether digits, such as those of DDMMYYHHmm, are also a later time, as the first times show. */
  function isAmbiguous(text: string, time: string): boolean {
    if (format.read || !/^\d+$/.test(text)) return false;
    if (tried < TRIED) {
      tried += 1;
      const others = patternsFor(text).map((name) => readBy(name, zone)(text));
      hasOther ||= others.some((other) => typeof other === 'string' && other > time);
    }
    return hasOther;
  }

  return {
    read(text, millis = '') {
      if (!/^(\d{1,3}(\.0+)?)?$/.test(millis))
        return fault(millis, 'has no milliseconds', 'is not a whole number of milliseconds, 0 to 999');
      const start = readClock(text);
      const shown = start ?? readIntervalStart(text, readClock);
      if (!shown) return misfit(text);
      if (shown.unit) unit = shown.unit;
      const ms = msOf(shown, text);
      if (typeof ms !== 'number') return ms;
      const written = `${instantOf(ms).slice(0, 20)}${shown.micros}Z`;
      if (written < FIRST_INSTANT) return misfit(text); // also after the last one
      const time = movedBy(Number(millis) - (start ? stampMs : 0), written);
      if (isAmbiguous(text, time))
        return { ...fault(text, 'has two meanings', 'may be a number or a date'), text, advise };
      const wrong = check(time);
      return wrong === undefined ? time : implausible(time, wrong, text, advise);
    },
    repeated: () => clock?.repeated() ?? 0,
    unit: () => unit,
    copy: () => createTimeReader(format, log, clock?.copy()),
  };
}

/** How many refused times of a kind advice is tried on, and how many numbers. */
const TRIED = 10;

const movedBy = (ms: number, time: string) =>
  ms === 0 ? time : `${instantOf(Date.parse(time) + ms).slice(0, 23)}${time.slice(23)}`;

const fault = (text: string, kind: string, what: string): TimeFault => ({
  kind: `the time ${kind}`,
  fault: `the time ${JSON.stringify(text.slice(0, 80))} ${what}`,
});
