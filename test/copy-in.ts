import type { Database } from '../src/database/database.ts';

/** Stores points in a transaction of their own, one piece after the other. */
export const copyIn = (db: Database, pieces: AsyncIterable<string>): Promise<number> =>
  db.transaction(async ({ copy }) => {
    let stored = 0;
    for await (const piece of pieces) stored += await copy(piece);
    return stored;
  });
