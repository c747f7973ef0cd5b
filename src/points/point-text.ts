// The text of points, as SQL: PostgreSQL writes every point that leaves the service.
import { CSV_TYPE, JSON_TYPE, NDJSON_TYPE, type PageType } from '../contract/media-types.ts';
import { COLUMNS, type Column, CSV_HEADER } from '../contract/point.ts';
import { type SQL, sql } from '../db/drizzle.ts';
import { audioData } from '../db/schema.ts';
import { instantText } from '../db/statement-values.ts';

/** How points are written: each as a line. */
export interface TextFormat {
  /** What the names of its statements end with. */
  readonly suffix: string;
  /** Of a point of the table, as text. */
  readonly line: SQL;
  /** What each line ends with, and no line holds before its end. */
  readonly end: string;
  /** @returns the whole text of some lines */
  whole(lines: string): string;
  /** Reads a line. */
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

/** By media type. */
export const TEXT_FORMATS: Readonly<Record<PageType, TextFormat>> = {
  [JSON_TYPE]: {
    suffix: '',
    line: lineOf(`${JSON_POINT},`, 'null'),
    end: '},',
    whole: (lines) => `[${lines.slice(0, -1)}]`,
    read: readJson,
  },
  [NDJSON_TYPE]: {
    suffix: '_ndjson',
    line: lineOf(`${JSON_POINT}\n`, 'null'),
    end: '\n',
    whole: (lines) => lines,
    read: readJson,
  },
  [CSV_TYPE]: {
    suffix: '_csv',
    line: lineOf(`${CSV_POINT}\n`, ''),
    end: '\n',
    whole: (lines) => `${CSV_HEADER}\n${lines}`,
    read: readCsv,
  },
};
