// The text of points, as SQL: PostgreSQL writes every point that leaves the service.

import { addDecimals } from '../contract/decimal.ts';
import {
  CSV_TYPE,
  decimalCommas,
  JSON_TYPE,
  NDJSON_TYPE,
  type PageType,
  SEMICOLON_TYPE,
} from '../contract/media-types.ts';
import type { Levels } from '../contract/periods.ts';
import { COLUMNS, type Column, CSV_HEADER } from '../contract/point.ts';
import { parameter } from '../db/compile.ts';
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
  /** @param offset_db what was added to its level. @returns the point as it is stored */
  read(line: string, offset_db: number): unknown;
}

const isTime = (column: Column) => audioData[column].getSQLType() === 'timestamp with time zone';
const isLevel = (column: Column) => audioData[column].getSQLType() === 'real';

/** A level as text, as the contract has it: the addition of a real makes 0 of a level of -0. */
const LEVEL_TEXT: Readonly<Record<Levels, (level: SQL) => SQL>> = {
  stored: (level) => sql`(${level} + 0::real)::text`,
  absolute: (level) =>
    sql`trim_scale((${level} + 0::real)::text::numeric + ${parameter('offset_db')}::text::numeric)::text`,
};

/** As the contract has it, whatever the type. */
function textOf(column: Column, none: string, levels: Levels): SQL {
  const its = audioData[column];
  if (isTime(column)) return instantText(its);
  const text = isLevel(column) ? LEVEL_TEXT[levels](sql`${its}`) : sql`${its}::text`;
  return its.notNull ? text : sql`coalesce(${text}, ${literal(none)})`;
}

const literal = (text: string) => sql.raw(`'${text}'`);

/** @param point how a point is written, with a `?` for each value */
function lineOf(point: string, none: string, levels: Levels): SQL {
  const [first = '', ...after] = point.split('?').map(literal);
  return after.reduce((line, text, place) => {
    const column = COLUMNS[place];
    return column ? sql`${line} || ${textOf(column, none, levels)} || ${text}` : line;
  }, sql`${first}`);
}

const JSON_POINT = `{${COLUMNS.map((column) => `"${column}":${isTime(column) ? '"?"' : '?'}`)}}`;
const CSV_POINT = COLUMNS.map(() => '?').join();

/** @returns a level as it is stored: exactly, as a position in pages compares it */
const without = (offset_db: number, text: string) =>
  offset_db === 0 ? text : addDecimals(text, String(-offset_db));

/** Without its end of one character. */
const readJson = (line: string, offset_db: number): unknown =>
  JSON.parse(shiftLevels(line.slice(0, -1), (text) => without(offset_db, text)));

/** Writes other levels into points of JSON. */
export const shiftLevels = (json: string, shift: (level: string) => string) =>
  json.replace(/"rms_db":(-?[\d.e-]+)/g, (_, text: string) => `"rms_db":${shift(text)}`);

function readCsv(line: string, offset_db: number): unknown {
  const values = line.trimEnd().split(',');
  const entries = COLUMNS.map((column, place) => {
    const text = values[place] ?? '';
    if (text === '' || isTime(column)) return [column, text === '' ? null : text];
    return [column, JSON.parse(isLevel(column) ? without(offset_db, text) : text)];
  });
  return Object.fromEntries(entries);
}

/** Semicolons and decimal commas, as `decimalCommas` has them. */
const withCommas = (csv: SQL) => sql`translate(${csv}, ',.Z', ';,')`;
const readSemicolons = (line: string, offset_db: number) =>
  readCsv(line.replaceAll(',', '.').replaceAll(';', ',').replace(',', 'Z,'), offset_db);

const HEAD = `${CSV_HEADER}\n`;
const lines = (head: string) => ({ end: '\n', head, whole: (text: string) => head + text });

function formatsOf(levels: Levels): Readonly<Record<PageType, TextFormat>> {
  const json = { point: lineOf(JSON_POINT, 'null', levels), read: readJson, head: '' };
  const csv = lineOf(CSV_POINT, '', levels);
  const csvLine = lineOf(`${CSV_POINT}\n`, '', levels);
  return {
    [JSON_TYPE]: {
      ...json,
      suffix: '',
      line: lineOf(`${JSON_POINT},`, 'null', levels),
      end: '},',
      whole: (text) => `[${text.slice(0, -1)}]`,
    },
    [NDJSON_TYPE]: {
      ...json,
      ...lines(''),
      suffix: '_ndjson',
      line: lineOf(`${JSON_POINT}\n`, 'null', levels),
    },
    [CSV_TYPE]: { ...lines(HEAD), suffix: '_csv', point: csv, line: csvLine, read: readCsv },
    [SEMICOLON_TYPE]: {
      ...lines(decimalCommas(HEAD)),
      suffix: '_semicolons',
      point: withCommas(csv),
      line: withCommas(csvLine),
      read: readSemicolons,
    },
  };
}

/** Those of absolute levels are for statements with the parameter `offset_db`. */
export const TEXT_FORMATS: Readonly<Record<Levels, Readonly<Record<PageType, TextFormat>>>> = {
  stored: formatsOf('stored'),
  absolute: formatsOf('absolute'),
};

/** What a statement gives: the type of its text, and its levels. */
export interface TextKind {
  readonly type: PageType;
  readonly levels: Levels;
}

export const formatOf = ({ type, levels }: TextKind): TextFormat => TEXT_FORMATS[levels][type];

/** How the points of an answer are written. */
export interface PointStyle {
  readonly type: PageType;
  /** What is added to each level, dB; 0 for levels as they are stored. */
  readonly offset_db: number;
}

export const STORED_JSON: PointStyle = { type: JSON_TYPE, offset_db: 0 };

export const kindOf = ({ type, offset_db }: PointStyle): TextKind => ({
  type,
  levels: offset_db === 0 ? 'stored' : 'absolute',
});

/** One for each kind of text. */
export type ByKind<Each> = (style: PointStyle) => Each;

export function byKind<Each>(make: (kind: TextKind, suffix: string) => Each): ByKind<Each> {
  const of = (levels: Levels) =>
    byType((type) =>
      make({ type, levels }, `${formatOf({ type, levels }).suffix}${levels === 'stored' ? '' : '_absolute'}`),
    );
  const made = { stored: of('stored'), absolute: of('absolute') };
  return (style) => {
    const { levels, type } = kindOf(style);
    return made[levels][type];
  };
}

function byType<Each>(make: (type: PageType) => Each): Readonly<Record<PageType, Each>> {
  return {
    [JSON_TYPE]: make(JSON_TYPE),
    [NDJSON_TYPE]: make(NDJSON_TYPE),
    [CSV_TYPE]: make(CSV_TYPE),
    [SEMICOLON_TYPE]: make(SEMICOLON_TYPE),
  };
}
