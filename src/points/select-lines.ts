// How points leave the database: as lines of text, because an object for each point would cost far more.
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { COLUMNS, type Column } from '../contract/point.ts';
import { audioData } from '../db/schema.ts';

/** One column of a line. */
interface Field {
  /** What its text looks like: `2026-01-01 00:00:00.12+00`, `-23.4`, or `t` and `f`. */
  readonly form: 'instant' | 'number' | 'flag';
  readonly select: SQL;
  /** What stands for null. No value of the column begins like it. */
  readonly none?: string;
}

/** The fields of a line. No field is ever null, because `concat_ws` leaves nulls out. */
export const FIELDS: Readonly<Record<Column, Field>> = {
  time: { form: 'instant', select: sql`${audioData.time}` },
  // without the addition, which keeps the type, a level of 0 may print as -0
  rms_db: { form: 'number', select: sql`coalesce(${audioData.rms_db} + 0::real, 'NaN'::real)`, none: 'NaN' },
  frequency_hz: { form: 'number', select: sql`coalesce(${audioData.frequency_hz}, 0)`, none: '0' },
  is_silence: { form: 'flag', select: sql`${audioData.is_silence}` },
};

/** What to select of the points, for a COPY or for {@link selectLines}: each field under its column's name. */
export const lineFields = Object.fromEntries(
  COLUMNS.map((column) => [column, FIELDS[column].select.as(column)] as const),
);

/** What {@link selectLines} selects. */
export interface Lines {
  /** How many lines. */
  readonly count: number;
  /** Each like `2026-01-01 00:00:00.12+00,-23.4,440,f`, with a newline at its end. */
  readonly lines: string;
}

/** @returns a select of {@link Lines}, in the order of `points`, which is a select of {@link lineFields} */
export function selectLines(points: SQLWrapper): SQL {
  const columns = sql.join(COLUMNS.map(sql.identifier), sql`, `);
  return sql`select count(*)::int as count,
    coalesce(string_agg(concat_ws(',', ${columns}), E'\\n') || E'\\n', '') as lines
  from (${points}) as points`;
}
