import type { Database } from '../src/db/database.ts';

/** Stores points in a transaction of their own. */
export const copyIn = (db: Database, csv: AsyncIterable<string>): Promise<number> =>
  db.transaction(({ copy }) => copy(csv));
