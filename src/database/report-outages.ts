// Reports each outage of a database once, with its reason, and then its end.
import type { Database, Log } from './database.ts';
import { isUnreachable } from './faults.ts';
import { reasonOf } from './unreachable-reason.ts';

/** @param message the line for the log when the database can no longer be reached */
export function reportOutages(db: Database, log: Log, message: string): Database {
  let isAway = false;
  let changes = 0;

  async function watched<Result>(work: Promise<Result>): Promise<Result> {
    const began = changes;
    // work that began before the last change says nothing about the state since then
    const changesTo = (state: boolean) => {
      if (state === isAway || began !== changes) return false;
      isAway = state;
      changes++;
      return true;
    };
    try {
      const result = await work;
      if (changesTo(false)) log.info({}, 'The database answers again');
      return result;
    } catch (error) {
      if (isUnreachable(error) && changesTo(true)) log.warn({ reason: reasonOf(error) }, message);
      throw error;
    }
  }

  return {
    ...db,
    query: (statement, ...rest) => {
      const rows = db.query(statement, ...rest);
      return statement.server === undefined ? watched(rows) : rows; // others report themselves
    },
    transaction: (...args) => watched(db.transaction(...args)),
    ready: () => watched(db.ready()),
  };
}
