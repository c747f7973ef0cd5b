// Reads the lines of a table, one by one: as rows to store, or with what is wrong with them.
import { CSV_HEADER } from '../../contract/point.ts';
import { checkCsvRow } from '../check-csv-row.ts';
import { type ColumnChoice, type Field, findPlaces, type Places } from './column-choice.ts';
import { createFieldReader, type Shape } from './line-fields.ts';
import { isNumber, readHertz, readLevel, readSilence, type ValueFault } from './line-values.ts';
import type { TimeReader } from './time-format.ts';

export interface LineFault extends ValueFault {
  /** Whether nothing after it can be read. */
  readonly isFinal?: true;
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

/** What is made of the fields of a line; undefined for a header, or where all are empty. */
type ReadFields = (fields: readonly string[], line: string) => LineRow | LineFault | undefined;

/** What is made of the lines of another logger. */
export interface Reading {
  readonly columns: ColumnChoice;
  /** Added to each level. */
  readonly offsetDb: number;
  /** Whether values out of range are stored at its end. */
  readonly clips: boolean;
}

const OF_EXPORT: Shape = { delimiter: ',', skipLines: 0, comment: undefined, hasLooseQuotes: false };

/**
 * @param foreign how another logger wrote them; undefined for what export.csv writes
 * @returns a function that reads the lines of one table in their order, and gives undefined for one that is no point
 */
export function createLineReader(foreign: { layout: Shape & Reading; times: TimeReader } | undefined) {
  const fieldsOf = createFieldReader(foreign?.layout ?? OF_EXPORT);
  const read = foreign ? createForeignReader(foreign.layout, foreign.times) : createOwnReader();
  return (line: string, number: number): LineRow | LineFault | undefined => {
    const fields = fieldsOf(line, number);
    if (!fields) return undefined;
    return 'fault' in fields
      ? { kind: 'the line cannot be cut into columns', ...fields }
      : read(fields, line);
  };
}

/** Reads what export.csv writes, strictly. */
function createOwnReader(): ReadFields {
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
    return checkCsvRow(fields);
  };
}

/** With columns by place a first line without a time, and without a number where one is wanted, is a header. */
function createForeignReader({ columns, offsetDb, clips }: Reading, times: TimeReader): ReadFields {
  let places: Places | undefined = columns.by === 'place' ? columns.places : undefined;
  const names = columns.by === 'name' ? columns.names : new Map<Field, string>();
  let isFirst = true;
  /** How many columns the header has. */
  let width = Number.POSITIVE_INFINITY;

  /** @param textOf gives the value of a field; empty where it is not wanted */
  function readValues(time: string, textOf: (field: Field) => string, at: Places): LineRow | LineFault {
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

  return (fields, line) => {
    if (fields.every((text) => text.trim() === '')) return undefined;
    const mayBeHeader = isFirst;
    isFirst = false;
    if (!places) {
      const found = findPlaces(names, fields);
      if ('fault' in found) return { kind: 'the header lacks a column', ...found, isFinal: true };
      places = found;
      width = fields.length;
      return undefined;
    }
    const at = places;
    const needed = Math.max(...at.values()) + 1;
    if (fields.length < needed) return tooFew(fields.length, needed);
    if (fields.slice(width).some((text) => text.trim() !== '')) return tooMany(fields.length, width);
    const hasMore = columns.by === 'place' && columns.count === needed && fields.length > needed;
    if (hasMore && width === Number.POSITIVE_INFINITY) {
      const last = fields.slice(needed - 1, needed + 1).join();
      if (DECIMAL_COMMA.test(last) && line.includes(last)) return ambiguous(last);
    }
    const textOf = (field: Field) => fields[at.get(field) ?? -1]?.trim() ?? '';
    const time = times.read(at.has('date') ? `${textOf('date')} ${textOf('time')}` : textOf('time'));
    if (typeof time === 'string') return readValues(time, textOf, at);
    if (!mayBeHeader || [...at.keys()].some((field) => isNumber(textOf(field)))) return time;
    width = fields.length;
    return undefined;
  };
}

/** Of a table with commas and no header. */
const DECIMAL_COMMA = /^\s*-?\d+,\d+\s*$/;

const ambiguous = (text: string): LineFault => ({
  kind: 'a number may have a decimal comma',
  fault: `${JSON.stringify(text.trim())} may be one number or two columns: separate columns by semicolons, or end --columns with - where it is two`,
});

const tooMany = (count: number, width: number): LineFault => ({
  kind: 'there are more columns than in the header',
  fault: `has ${count} columns, and the header ${width}: are commas those of decimals, then export it with another delimiter; if not, choose columns by place, and leave out the header with --skip-lines`,
});

const tooFew = (count: number, needed: number): LineFault => ({
  kind: 'there are too few columns',
  fault: `has ${count} ${count === 1 ? 'column' : 'columns'}, and --columns reads ${needed}: tell what is between them with --delimiter, or skip such lines with --skip-bad`,
});
