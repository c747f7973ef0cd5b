// Lends connections whose sessions know the database as it is now.
//
// A session keeps what it has looked up: relations, plans, the library of an extension. Where it trips over that after
// a change, so would all that were opened before.
import type pg from 'pg';
import { isStale } from './faults.ts';

export type CurrentSessions = ReturnType<typeof createCurrentSessions>;

export function createCurrentSessions(pools: readonly pg.Pool[]) {
  let changes = 0;
  /** What fails in a new session is not of yesterday. */
  const haveAnswered = new WeakSet<pg.ClientBase>();
  const changesBefore = new WeakMap<pg.ClientBase, number>();
  const isOld = (client: pg.ClientBase) => (changesBefore.get(client) ?? 0) < changes;
  for (const pool of pools) {
    pool.on('connect', (client) => void changesBefore.set(client, changes));
    pool.on('release', (error, client) => void (error || haveAnswered.add(client)));
  }

  return {
    /** As `pool.connect`, but closes what was opened before the last change that was noticed. */
    async connect(pool: pg.Pool): Promise<pg.PoolClient> {
      for (;;) {
        const client = await pool.connect();
        if (!isOld(client)) return client;
        client.release(true);
      }
    },
    /** Learns from a fault of a connection whether the sessions of its time are of no use any more. */
    learnFrom(fault: unknown, client: pg.PoolClient): void {
      if (isStale(fault) && !isOld(client) && haveAnswered.has(client)) changes++;
    },
  };
}
