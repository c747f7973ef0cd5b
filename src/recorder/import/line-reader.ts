// Reads the lines of a table, one by one: as rows to store, or with what is wrong with them.
import { CSV_HEADER, FLOOR_DB, HIGHEST_HZ, LOWEST_HZ } from '../../contract/point.ts';
import { checkCsvRow } from '../check-csv-row.ts';
import { type ColumnChoice, type Field, findPlaces, type Places } from './column-choice.ts';
import type { TimeReader } from './time-format.ts';

export interface LineFault {
  /** What is wrong with any such line. */
  readonly kind: string;
  /** What is wrong with this one, and what is allowed. */
  readonly fault: string;
  /** Whether nothing after it can be read. */
  readonly isFinal?: true;
  /** The level that it gives, where that is out of range. */
  readonly givenDb?: number;
}

export interface LineRow {
  /** As CSV, without its line break. */
  readonly row: string;
  readonly time: string;
  /** Whether a value was out of range, and is stored at its end. */
  readonly isClipped?: boolean;
  /** The level that the line gives, before anything is added. */
  readonly givenDb?: number | undefined;
}

/** @returns undefined for a header */
export type ReadLine = (fields: readonly string[]) => LineRow | LineFault | undefined;

/** What is made of the lines of another logger. */
export interface Reading {
  readonly columns: ColumnChoice;
  /** Added to each level. */
  readonly offsetDb: number;
  /** Whether values out of range are stored at its end. */
  readonly clips: boolean;
}

/** Some write a minus sign in place of a hyphen. */
const NUMBER = /^[-+\u2212]?\d{1,20}([.,]\d{1,40})?(e[-+]?\d{1,3})?$/i;
const YES = ['true', 't', '1', 'yes', 'y'];
const NO = ['false', 'f', '0', 'no', 'n'];

/** Reads what export.csv writes, strictly. */
export function createOwnReader(): ReadLine {
  let isHeader = true;
  return (fields) => {
    if (isHeader) {
      isHeader = false;
      const header = fields.join();
      if (header === CSV_HEADER) return undefined;
      return {
        kind: 'the header is another',
        fault: `the header is ${JSON.stringify(header.slice(0, 80))}; it must be ${CSV_HEADER}. Of another logger's file tell the columns, such as --columns "time=Date,level=LAeq"`,
        isFinal: true,
      };
    }
    const checked = checkCsvRow(fields);
    if ('fault' in checked) return checked;
    return { row: checked.row, time: checked.row.slice(0, checked.row.indexOf(',')) };
  };
}

/** Reads what another logger wrote. With columns by place a first line in which nothing can be read is a header. */
export function createForeignReader({ columns, offsetDb, clips }: Reading, times: TimeReader): ReadLine {
  let places: Places | undefined = columns.by === 'place' ? columns.places : undefined;
  let isFirst = true;

  function readRow(fields: readonly string[], at: Places, needed: number): LineRow | LineFault {
    if (fields.length < needed)
      return {
        kind: 'there are too few columns',
        fault: `has ${fields.length} ${fields.length === 1 ? 'column' : 'columns'}, and --columns reads ${needed}: tell what is between them with --delimiter, or skip such lines with --skip-bad`,
      };
    const textOf = (field: Field) => fields[at.get(field) ?? -1]?.trim() ?? '';
    const time = times.read(at.has('date') ? `${textOf('date')} ${textOf('time')}` : textOf('time'));
    if (typeof time !== 'string') return time;
    const level = readLevel(textOf('level'), offsetDb, clips);
    if ('fault' in level) return level;
    const hertz = readHertz(textOf('freq'), clips);
    if ('fault' in hertz) return hertz;
    const silence = at.has('silence') ? readSilence(textOf('silence')) : { text: 'false' };
    if ('fault' in silence) return silence;
    return {
      row: `${time},${level.text},${hertz.text},${silence.text}`,
      time,
      isClipped: level.isClipped === true || hertz.isClipped === true,
      givenDb: level.givenDb,
    };
  }

  return (fields) => {
    const isHeader = isFirst;
    isFirst = false;
    if (columns.by === 'name' && !places) {
      const found = findPlaces(columns.names, fields);
      if ('fault' in found) return { kind: 'the header lacks a column', ...found, isFinal: true };
      places = found;
      return undefined;
    }
    const at = places ?? new Map();
    const needed = Math.max(...at.values()) + 1;
    const read = readRow(fields, at, needed);
    const saysNothing = fields.length >= needed && !fields.some((text) => NUMBER.test(text.trim()));
    return isHeader && 'fault' in read && saysNothing ? undefined : read;
  };
}

type Value = { readonly text: string; readonly isClipped?: boolean; readonly givenDb?: number } | LineFault;

function readNumber(text: string): number {
  return NUMBER.test(text) ? Number(text.replace(',', '.').replace('\u2212', '-')) : Number.NaN;
}

function readLevel(text: string, offsetDb: number, clips: boolean): Value {
  if (text === '') return { text };
  const given = readNumber(text);
  if (!Number.isFinite(given))
    return {
      kind: 'the level is no number',
      fault: `the level ${JSON.stringify(text.slice(0, 80))} is no number: choose another column, or skip such lines with --skip-bad`,
    };
  const db = Number((given + offsetDb).toFixed(6)); // no digits that the sum makes up
  const stored = Math.min(0, Math.max(FLOOR_DB, db));
  if (stored === db || clips) return { text: String(stored + 0), isClipped: stored !== db, givenDb: given };
  const side = db > 0 ? 'above 0' : `below ${FLOOR_DB}`;
  const with_ = offsetDb === 0 ? '' : ` with --offset-db ${offsetDb}`;
  const advice =
    offsetDb === 0 && db > 0
      ? 'for sound pressure levels add the negative of what a stored 0 stands for, such as --offset-db -100, or'
      : 'choose another --offset-db by the range that --dry-run shows, or';
  return {
    kind: `the level is ${side}${with_}`,
    fault: `the level ${text}${with_} is ${db}, ${side}: ${advice} store it as ${stored} with --clip`,
    givenDb: given,
  };
}

function readHertz(text: string, clips: boolean): Value {
  if (text === '') return { text };
  const hertz = Math.round(readNumber(text));
  if (Number.isNaN(hertz))
    return {
      kind: 'the frequency is no number',
      fault: `the frequency ${JSON.stringify(text.slice(0, 80))} is no number: leave its column out with -, or skip such lines with --skip-bad`,
    };
  if (hertz >= LOWEST_HZ && hertz <= HIGHEST_HZ) return { text: String(hertz) };
  if (clips) return { text: '', isClipped: true };
  return {
    kind: `the frequency is outside ${LOWEST_HZ} to ${HIGHEST_HZ} Hz`,
    fault: `the frequency ${text} is outside ${LOWEST_HZ} to ${HIGHEST_HZ} Hz: store none there with --clip, or leave its column out with -`,
  };
}

function readSilence(text: string): Value {
  const word = text.toLowerCase();
  if (YES.includes(word)) return { text: 'true' };
  if (NO.includes(word)) return { text: 'false' };
  return {
    kind: 'the silence is neither yes nor no',
    fault: `the silence ${JSON.stringify(text.slice(0, 80))} is neither true, t, 1, yes nor false, f, 0, no`,
  };
}
