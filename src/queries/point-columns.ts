// The columns of a point as the contract writes them.
import { sql } from 'drizzle-orm';
import { audioData } from '../db/schema.ts';

/**
 * `time` is made text by the database: that costs less than a parsed date, and keeps the microseconds. The
 * others are expressions, not columns, so that a subquery can stand in for the table.
 */
export const pointColumns = {
  time: sql<string>`to_char(${audioData.time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`.as(
    'time',
  ),
  rms_db: sql<number | null>`${audioData.rms_db}`.as('rms_db'),
  frequency_hz: sql<number | null>`${audioData.frequency_hz}`.as('frequency_hz'),
  is_silence: sql<boolean>`${audioData.is_silence}`.as('is_silence'),
};

/**
 * The times that the contract can write. PostgreSQL also stores `infinity` and years beyond 9999: a query
 * without an interval of its own leaves those out.
 */
export const writable = sql`${audioData.time} >= '0001-01-01Z' and ${audioData.time} < '10000-01-01Z'`;
