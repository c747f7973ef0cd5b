// The columns of a point as the contract writes them.
import { sql } from 'drizzle-orm';
import { audioData } from '../db/schema.ts';

/** `time` in the form of the contract. Text made by the database costs less than a parsed date. */
const instant = sql<string>`to_char(${audioData.time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

export const pointColumns = {
  time: instant.as('time'),
  rms_db: audioData.rms_db,
  frequency_hz: audioData.frequency_hz,
  is_silence: audioData.is_silence,
};

/**
 * The times that the contract can write. PostgreSQL also stores `infinity` and years beyond 9999: a query
 * without an interval of its own leaves those out.
 */
export const writable = sql`${audioData.time} >= '0001-01-01Z' and ${audioData.time} < '10000-01-01Z'`;
