// The columns of a point as the contract writes them.
import { type SQLWrapper, sql } from 'drizzle-orm';
import { audioData } from '../db/schema.ts';

/** The canonical form, made by the database: that costs less than a parsed date, and keeps the microseconds. */
export const instantText = (time: SQLWrapper) =>
  sql<string>`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/**
 * The columns other than `time` are expressions, not columns, so that a subquery can stand in for the table.
 */
export const pointColumns = {
  time: instantText(audioData.time).as('time'),
  rms_db: sql<number | null>`${audioData.rms_db}`.as('rms_db'),
  frequency_hz: sql<number | null>`${audioData.frequency_hz}`.as('frequency_hz'),
  is_silence: sql<boolean>`${audioData.is_silence}`.as('is_silence'),
};

/** The earliest time that the contract can write. */
export const FIRST_INSTANT = '0001-01-01T00:00:00.000000Z';

/**
 * What the contract can write ends here. PostgreSQL also stores `infinity` and years beyond 9999: a query
 * without an interval of its own leaves those out.
 */
export const AFTER_LAST_INSTANT = '10000-01-01Z';
