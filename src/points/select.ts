// Points as one text of lines, which the database makes: what point-text.ts writes them from.
import { type SQLWrapper, sql } from 'drizzle-orm';
import type { Database, Statement, Values } from '../db/database.ts';
import { audioData } from '../db/schema.ts';

export interface Lines {
  /** How many lines. */
  readonly rows: number;
  /** Each like `2026-01-01 00:00:00.12+00,-23.4,440,f`, with a newline at its end; `NaN` and `0` stand for null. */
  readonly lines: string;
}

/**
 * The fields of a line, none of them null: the checks of the table keep NaN and 0 from being values. Without
 * the addition, which keeps the type, a level of 0 may print as -0.
 */
export const lineFields = {
  time: sql`${audioData.time}`.as('time'),
  level: sql`coalesce(${audioData.rms_db} + 0::real, 'NaN'::real)`.as('level'),
  frequency_hz: sql`coalesce(${audioData.frequency_hz}, 0)`.as('frequency_hz'),
  is_silence: sql`${audioData.is_silence}`.as('is_silence'),
};

/**
 * One `concat_ws` makes a line, newline and all: each further concatenation would copy it again. It leaves out
 * nulls, so no field may be null.
 *
 * @returns a select of {@link Lines}, in the order of `points`, a select of {@link lineFields}
 */
export function linesOf(points: SQLWrapper) {
  return sql`select count(*)::int as rows,
    coalesce(
      string_agg(concat_ws(',', time, level, frequency_hz, case when is_silence then E't\\n' else E'f\\n' end), ''),
      ''
    ) as lines
  from (${points}) as points`;
}

/** Runs a statement of {@link linesOf}. */
export async function readLines(db: Database, statement: Statement, values: Values): Promise<Lines> {
  const [lines = { rows: 0, lines: '' }] = await db.query<Lines>(statement, values);
  return lines;
}
