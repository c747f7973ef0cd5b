// The text of points, as SQL: PostgreSQL formats every point that leaves the service.
import type { Levels } from '../contract/periods.ts';
import { COLUMNS, type Column } from '../contract/point.ts';
import { parameter } from '../database/compile.ts';
import { type SQL, sql } from '../database/drizzle.ts';
import { audioData } from '../database/schema.ts';
import { instantText } from '../database/statement-values.ts';

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

/** The text of a point of the table. For absolute levels the statement has the parameter `offset_db`. */
export type PointText = (levels: Levels) => SQL;

export const jsonPoint: PointText = (levels) => lineOf(JSON_POINT, 'null', levels);
/** The same and a comma: lines become an array without a separator. */
export const jsonLine: PointText = (levels) => lineOf(`${JSON_POINT},`, 'null', levels);
export const csvPoint: PointText = (levels) => lineOf(CSV_POINT, '', levels);

/** The end of a {@link jsonLine}. It occurs nowhere else in one. */
export const LINE_END = '},';

/** @param lines as {@link jsonLine} writes them. @returns lines of JSON */
export const jsonLines = (lines: string) => lines.replaceAll(LINE_END, '}\n');

/** @param lines as {@link jsonLine} writes them. @returns the lines that {@link csvPoint} writes */
export const csvLines = (lines: string) =>
  lines.replace(/\},/g, '\n').replace(/\{?"\w+":"?|"(?=,)|null/g, '');

/** One value for stored levels and one for absolute levels, by the offset of each level in dB. */
export function byOffset<Each>(make: (levels: Levels) => Each): (offset_db: number) => Each {
  const [stored, absolute] = [make('stored'), make('absolute')];
  return (offset_db) => (offset_db === 0 ? stored : absolute);
}
