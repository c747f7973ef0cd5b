// Times as the contract writes them, made by the database, and the ends of what it can write.
import { type SQLWrapper, sql } from 'drizzle-orm';

/** The canonical form; unlike a parsed date it keeps the microseconds. */
export const instantText = (time: SQLWrapper) =>
  sql<string>`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** The earliest time that the contract can write. */
export const FIRST_INSTANT = '0001-01-01T00:00:00.000000Z';

/**
 * What the contract can write ends here. PostgreSQL also stores `infinity` and years beyond 9999: a query
 * without an interval of its own leaves those out.
 */
export const AFTER_LAST_INSTANT = '10000-01-01Z';
