// Reads the times in another logger's file, by their format and the zone of its clock.
import { FIRST_INSTANT, instantOf } from '../../contract/instant.ts';
import { timeZoneClock } from '../../contract/time-zone-clock.ts';
import { type LineFault, textFault } from '../fault.ts';
import { type ClockTime, DAY_LENGTH_MS, offsetsOf, type ReadClock } from './clock-fields.ts';
import { readClear } from './clock-text.ts';
import { instantInLog, type LogOrder, NO_ORDER } from './log-clock.ts';
import { formatAdvice, otherAdvice } from './time-advice.ts';
import { implausible, type TimeCheck } from './time-check.ts';
import { countReader, readSerial, readUnixCount } from './time-numbers.ts';
import { createPattern, PATTERN_ALLOWED, patternsFor, readIntervalStart, readIso } from './time-pattern.ts';

export interface TimeFormat {
  readonly name: string;
  readonly read: ReadClock;
}

/** Any time that is unambiguous. */
export const AUTO: TimeFormat = {
  name: 'auto',
  read: (text) => readUnixCount(text) ?? readIso(text) ?? readClear(text),
};
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

export type TimeReader = ReturnType<typeof createTimeReader>;

export interface LogTimes {
  /** The zone of times without one; undefined if all must have one. */
  readonly zone?: string | undefined;
  /** Refuses instants. */
  readonly check?: TimeCheck | undefined;
  /** The length of what times stand for, in milliseconds. Intervals must have it. */
  readonly window?: number | undefined;
  /** Which end of it times are. Intervals stand for their start. */
  readonly stamp?: 'start' | 'end' | undefined;
}

export function createTimeReader(format: TimeFormat, log: LogTimes = {}, before = NO_ORDER) {
  const { zone, check, window = 0, stamp } = log;
  const clock = zone === undefined ? undefined : timeZoneClock(zone);
  const order: LogOrder = { ...before };
  let unit: string | undefined;
  let ofColumn: string | undefined;
  const readBy = (name: string, by: string | undefined) => {
    const { read } = createTimeReader(parseTimeFormat(name) ?? AUTO, { ...log, zone: by });
    return (text: string) => read(text, '', ofColumn);
  };
  const advise = (texts: readonly string[]) => formatAdvice(texts, format.name, zone, readBy);
  let [tried, hasOther] = [0, false];

  /** @returns milliseconds since 1970 */
  function msOf({ wallMs, offsetsMs, zone: named }: ClockTime, text: string): number | LineFault {
    if (!clock && offsetsMs?.length !== 1)
      return named
        ? fault(text, `has the ambiguous zone ${named}`, `: ${GIVE}, such as --zone America/Chicago`)
        : fault(text, 'has no zone', `: ${GIVE}, such as --zone Europe/Vienna or --zone UTC`);
    const ms = offsetsMs
      ? offsetsMs
          .map((offset) => wallMs - offset)
          .find((ms) => !named || !clock || clock.offsetAt(ms) === wallMs - ms)
      : clock && instantInLog(order, clock, wallMs);
    if (ms !== undefined) return ms;
    if (!named)
      return fault(
        text,
        `does not exist in ${zone}`,
        ', because clocks went forward: for a clock that stays on winter time give its offset, such as --zone +01:00',
      );
    const orElse = offsetsMs?.length === 1 ? 'leave out --zone, or ' : '';
    return fault(
      text,
      `is in ${named}, but ${zone} has another offset at that time`,
      `: ${orElse}${GIVE} with --zone`,
    );
  }

  function misfit(text: string): LineFault {
    const what = format === AUTO ? 'is not understood' : `is not ${format.name}`;
    const other = (texts: readonly string[]) => advise(texts) || otherAdvice(text, format.name);
    return { ...fault(text, what), isNoTime: true, advise: other };
  }

  /** Whether digits, such as those of DDMMYYHHmm, are also a later time, as the first times show. */
  function isAmbiguous(text: string, time: string): boolean {
    if (format !== AUTO || !/^\d+$/.test(text)) return false;
    if (tried < TRIED) {
      tried += 1;
      const others = patternsFor(text).map((name) => readBy(name, zone)(text));
      hasOther ||= others.some((other) => typeof other === 'string' && other > time);
    }
    return hasOther;
  }

  return {
    /** @param millis to add. @param column the zone in the name of the column. @returns a canonical instant */
    read(text: string, millis = '', column?: string): string | LineFault {
      ofColumn = column;
      if (!/^(\d{1,3}(\.0+)?)?$/.test(millis))
        return fault(millis, 'is not a whole number of milliseconds', ', 0 to 999');
      const read = format.read(text) ?? readIntervalStart(text, format.read);
      if (!read) return misfit(text);
      const { lengthMs, wallMs } = read;
      const isNamed = column !== undefined && !read.offsetsMs;
      const offsetAt = (ms: number) => (isNamed ? offsetsOf(column, ms)?.[0] : clock?.offsetAt(ms));
      const isOther = (ms: number) => Math.abs(ms - window) > SLACK * window;
      // near a clock change, the two ends do not give the length
      const isSteady = (ms: number) =>
        offsetAt(wallMs - DAY_LENGTH_MS) === offsetAt(wallMs + ms + DAY_LENGTH_MS);
      if (lengthMs && window && [0, 1000].every((ms) => isOther(lengthMs + ms)) && isSteady(lengthMs))
        return fault(text, `covers ${lengthMs / 1000} s, unlike --window`);
      const shown = isNamed ? { ...read, offsetsMs: offsetsOf(column, wallMs) ?? [], zone: column } : read;
      if (shown.unit) unit = shown.unit;
      const ms = msOf(shown, text);
      if (typeof ms !== 'number') return ms;
      const stampMs = stamp === 'end' && lengthMs === undefined ? window : 0;
      const moved = ms + Number(shown.micros.slice(0, 3)) + Number(millis) - stampMs;
      const time = `${instantOf(moved).slice(0, 23)}${shown.micros.slice(3)}Z`;
      if (time < FIRST_INSTANT) return misfit(text); // also after the last one
      if (isAmbiguous(text, time)) return { ...fault(text, 'may be a number or a date'), advise };
      const wrong = check?.(time);
      return wrong === undefined ? time : implausible(time, wrong, text, advise);
    },
    /** How many times fell into a repeated hour of their zone. */
    repeated: () => order.repeated,
    /** The detected unit of numeric times, such as `Unix nanoseconds`. Undefined if none was detected. */
    unit: () => unit,
    /** A copy with the same state, because earlier times decide which instant a repeated time means. */
    copy: () => createTimeReader(format, log, order),
  };
}

/** How far an interval may differ from the window. Some loggers also write its last second as its end. */
const SLACK = 0.02;

/** How many refused times of a kind advice is tried on, and how many numbers. */
const TRIED = 10;

const GIVE = "give the zone of the logger's clock";

const fault = (text: string, is: string, more?: string) => textFault('time', text, is, more);
