// The text of points, as SQL: PostgreSQL writes every point that leaves the service.
import {
  CSV_TYPE,
  decimalCommas,
  JSON_TYPE,
  NDJSON_TYPE,
  type PageType,
  SEMICOLON_TYPE,
} from '../contract/media-types.ts';
import { COLUMNS, type Column, CSV_HEADER } from '../contract/point.ts';
import { type SQL, sql } from '../db/drizzle.ts';
import { audioData } from '../db/schema.ts';
import { instantText } from '../db/statement-values.ts';

export interface TextFormat {
  /** What the names of its statements end with. */
  readonly suffix: string;
  /** A point of the table as text, without the end of its line. */
  readonly point: SQL;
  /** The same with the end. */
  readonly line: SQL;
  /** What each line ends with, and no line holds before its end. */
  readonly end: string;
  /** What stands before the lines of a file. */
  readonly head: string;
  whole(lines: string): string;
  read(line: string): unknown;
}

const isTime = (column: Column) => audioData[column].getSQLType() === 'timestamp with time zone';

/** As the contract has it, whatever the type: the addition makes 0 of a level of -0. */
function textOf(column: Column, none: string): SQL {
  const its = audioData[column];
  if (isTime(column)) return instantText(its);
  const text = its.getSQLType() === 'real' ? sql`(${its} + 0::real)::text` : sql`${its}::text`;
  return its.notNull ? text : sql`coalesce(${text}, ${literal(none)})`;
}

const literal = (text: string) => sql.raw(`'${text}'`);

/** @param point how a point is written, with a `?` for each value */
function lineOf(point: string, none: string): SQL {
  const [first = '', ...after] = point.split('?').map(literal);
  return after.reduce((line, text, place) => {
    const column = COLUMNS[place];
    return column ? sql`${line} || ${textOf(column, none)} || ${text}` : line;
  }, sql`${first}`);
}

const JSON_POINT = `{${COLUMNS.map((column) => `"${column}":${isTime(column) ? '"?"' : '?'}`)}}`;
const CSV_POINT = COLUMNS.map(() => '?').join();

/** Without its end of one character. */
const readJson = (line: string): unknown => JSON.parse(line.slice(0, -1));

function readCsv(line: string): unknown {
  const values = line.trimEnd().split(',');
  const entries = COLUMNS.map((column, place) => {
    const text = values[place] ?? '';
    return [column, text === '' ? null : isTime(column) ? text : JSON.parse(text)];
  });
  return Object.fromEntries(entries);
}

/** Semicolons and decimal commas, as `decimalCommas` has them. */
const withCommas = (csv: SQL) => sql`translate(${csv}, ',.Z', ';,')`;
const readSemicolons = (line: string) =>
  readCsv(line.replaceAll(',', '.').replaceAll(';', ',').replace(',', 'Z,'));

const HEAD = `${CSV_HEADER}\n`;
const json = { point: lineOf(JSON_POINT, 'null'), read: readJson, head: '' };
const csv = lineOf(CSV_POINT, '');
const csvLine = lineOf(`${CSV_POINT}\n`, '');
const lines = (head: string) => ({ end: '\n', head, whole: (text: string) => head + text });

export const TEXT_FORMATS: Readonly<Record<PageType, TextFormat>> = {
  [JSON_TYPE]: {
    ...json,
    suffix: '',
    line: lineOf(`${JSON_POINT},`, 'null'),
    end: '},',
    whole: (text) => `[${text.slice(0, -1)}]`,
  },
  [NDJSON_TYPE]: { ...json, ...lines(''), suffix: '_ndjson', line: lineOf(`${JSON_POINT}\n`, 'null') },
  [CSV_TYPE]: { ...lines(HEAD), suffix: '_csv', point: csv, line: csvLine, read: readCsv },
  [SEMICOLON_TYPE]: {
    ...lines(decimalCommas(HEAD)),
    suffix: '_semicolons',
    point: withCommas(csv),
    line: withCommas(csvLine),
    read: readSemicolons,
  },
};

export function byType<Each>(make: (type: PageType) => Each): Readonly<Record<PageType, Each>> {
  return {
    [JSON_TYPE]: make(JSON_TYPE),
    [NDJSON_TYPE]: make(NDJSON_TYPE),
    [CSV_TYPE]: make(CSV_TYPE),
    [SEMICOLON_TYPE]: make(SEMICOLON_TYPE),
  };
}
