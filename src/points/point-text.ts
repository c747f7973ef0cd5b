// The text of points, as SQL: PostgreSQL formats every point that leaves the service.

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
  /** The suffix of this format's statement names. */
  readonly suffix: string;
  /** The end of each line. It occurs nowhere else in one. */
  readonly end: string;
  /** The text before the lines of a file. */
  readonly head: string;
  whole(lines: string): string;
  /** @param offset_db what was added to the level. @returns the point as stored */
  read(line: string, offset_db: number): unknown;
}

const isTime = (column: Column) => audioData[column].getSQLType() === 'timestamp with time zone';
const isLevel = (column: Column) => audioData[column].getSQLType() === 'real';

/** A level as text, in the form of the contract. Adding 0 turns -0 into 0. */
const LEVEL_TEXT: Readonly<Record<Levels, (level: SQL) => SQL>> = {
  stored: (level) => sql`(${level} + 0::real)::text`,
  absolute: (level) =>
    sql`trim_scale((${level} + 0::real)::text::numeric + ${parameter('offset_db')}::text::numeric)::text`,
};

/** In the form of the contract, whatever the type. */
function textOf(column: Column, none: string, levels: Levels): SQL {
  const its = audioData[column];
  if (isTime(column)) return instantText(its);
  const text = isLevel(column) ? LEVEL_TEXT[levels](sql`${its}`) : sql`${its}::text`;
  return its.notNull ? text : sql`coalesce(${text}, ${literal(none)})`;
}

const literal = (text: string) => sql.raw(`'${text}'`);

/** @param point the template of a point, with a `?` for each value */
function lineOf(point: string, none: string, levels: Levels): SQL {
  const [first = '', ...after] = point.split('?').map(literal);
  return after.reduce((line, text, index) => {
    const column = COLUMNS[index];
    return column ? sql`${line} || ${textOf(column, none, levels)} || ${text}` : line;
  }, sql`${first}`);
}

const JSON_POINT = `{${COLUMNS.map((column) => `"${column}":${isTime(column) ? '"?"' : '?'}`)}}`;
const CSV_POINT = COLUMNS.map(() => '?').join();

/** @returns a level as exact text, because the positions of pages compare it */
const shifted = (level: string, offset_db: number) =>
  offset_db === 0 ? level : addDecimals(level, String(offset_db));

/** @returns points as JSON with an offset added to each level */
export const shiftLevels = (json: string, offset_db: number) =>
  json.replace(/"rms_db":(-?[\d.e-]+)/g, (_, level: string) => `"rms_db":${shifted(level, offset_db)}`);

/** Drops the one-character line end. */
const readJson = (line: string, offset_db: number): unknown =>
  JSON.parse(shiftLevels(line.slice(0, -1), -offset_db));

function readCsv(line: string, offset_db: number): unknown {
  const values = line.trimEnd().split(',');
  const entries = COLUMNS.map((column, index) => {
    const text = values[index] ?? '';
    if (text === '' || isTime(column)) return [column, text === '' ? null : text];
    return [column, JSON.parse(isLevel(column) ? shifted(text, -offset_db) : text)];
  });
  return Object.fromEntries(entries);
}

/** Semicolons and decimal commas, as in `decimalCommas`. */
const withCommas = (csv: SQL) => sql`translate(${csv}, ',.Z', ';,')`;
const readSemicolons = (line: string, offset_db: number) =>
  readCsv(line.replaceAll(',', '.').replaceAll(';', ',').replace(',', 'Z,'), offset_db);

const linesAfter = (head: string) => ({ end: '\n', head, whole: (lines: string) => head + lines });
const HEAD = `${CSV_HEADER}\n`;

export const TEXT_FORMATS: Readonly<Record<PageType, TextFormat>> = {
  [JSON_TYPE]: {
    suffix: '',
    end: '},',
    head: '',
    whole: (lines) => `[${lines.slice(0, -1)}]`,
    read: readJson,
  },
  [NDJSON_TYPE]: { suffix: '_ndjson', ...linesAfter(''), read: readJson },
  [CSV_TYPE]: { suffix: '_csv', ...linesAfter(HEAD), read: readCsv },
  [SEMICOLON_TYPE]: { suffix: '_semicolons', ...linesAfter(decimalCommas(HEAD)), read: readSemicolons },
};

/** The format of a statement's text, and its levels. */
export interface TextKind {
  readonly type: PageType;
  readonly levels: Levels;
}

/**
 * A point of the table as text. For absolute levels the statement has the parameter `offset_db`.
 *
 * @returns the text without its line end, and the line
 */
export function textOfPoint({ type, levels }: TextKind): { readonly point: SQL; readonly line: SQL } {
  const json = (end: string) => lineOf(`${JSON_POINT}${end}`, 'null', levels);
  const csv = (end: string) => lineOf(`${CSV_POINT}${end}`, '', levels);
  if (type === JSON_TYPE) return { point: json(''), line: json(',') };
  if (type === NDJSON_TYPE) return { point: json(''), line: json('\n') };
  if (type === CSV_TYPE) return { point: csv(''), line: csv('\n') };
  return { point: withCommas(csv('')), line: withCommas(csv('\n')) };
}

/** How the points of a result are written. */
export interface PointStyle {
  readonly type: PageType;
  /** The offset of each level in dB; 0 for levels as stored. */
  readonly offset_db: number;
}

export const STORED_JSON: PointStyle = { type: JSON_TYPE, offset_db: 0 };

/** One value for each kind of text. */
export type ByKind<Each> = (style: PointStyle) => Each;

export function byKind<Each>(make: (kind: TextKind, suffix: string) => Each): ByKind<Each> {
  const of = (levels: Levels, suffix: string) => {
    const made = (type: PageType) => make({ type, levels }, TEXT_FORMATS[type].suffix + suffix);
    return {
      [JSON_TYPE]: made(JSON_TYPE),
      [NDJSON_TYPE]: made(NDJSON_TYPE),
      [CSV_TYPE]: made(CSV_TYPE),
      [SEMICOLON_TYPE]: made(SEMICOLON_TYPE),
    };
  };
  const [stored, absolute] = [of('stored', ''), of('absolute', '_absolute')];
  return ({ type, offset_db }) => (offset_db === 0 ? stored : absolute)[type];
}
