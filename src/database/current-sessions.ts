// Lends only connections whose sessions know the database as it is now.
//
// A session caches its lookups: relations, plans, the library of an extension. If one session fails on a stale lookup
// after a change, so would every session opened before that change.
import type pg from 'pg';
import { isStale } from './faults.ts';

export type CurrentSessions = ReturnType<typeof createCurrentSessions>;

export function createCurrentSessions(pools: readonly pg.Pool[]) {
  let changes = 0;
  /** Clients that have answered before. Only their faults can be stale lookups. */
  const haveAnswered = new WeakSet<pg.ClientBase>();
  const changesBefore = new WeakMap<pg.ClientBase, number>();
  const isOld = (client: pg.ClientBase) => (changesBefore.get(client) ?? 0) < changes;
  for (const pool of pools) {
    pool.on('connect', (client) => void changesBefore.set(client, changes));
    pool.on('release', (error, client) => void (error || haveAnswered.add(client)));
  }

  return {
    /** Like `pool.connect`, but closes connections opened before the last noticed change. */
    async connect(pool: pg.Pool): Promise<pg.PoolClient> {
      for (;;) {
        const client = await pool.connect();
        if (!isOld(client)) return client;
        client.release(true);
      }
    },
    /** If the fault shows that the connection's session is stale, treats all sessions opened so far as stale. */
    learnFrom(fault: unknown, client: pg.PoolClient): void {
      if (isStale(fault) && !isOld(client) && haveAnswered.has(client)) changes++;
    },
  };
}
