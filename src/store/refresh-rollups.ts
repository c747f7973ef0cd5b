// Keeps the rollups that are tables (drizzle/0008) up to date. Late by hours, it costs time and never exactness.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Statement } from '../db/database.ts';

/**
 * How many half hours a statement stores: at ten points a second some 18,000 points each, in a fifth of a second. The
 * embedded database has one session, which others wait for.
 */
export const HALF_HOURS = { embedded: 1, server: 16 };

const EVERY_MS = 60_000;

const refresh: Statement = {
  name: 'refresh_rollups',
  text: 'select audio_data_refresh($1::int) as stored',
  parameters: ['half_hours'],
};

/** Null where there is no such function. */
const may: Statement = {
  text: `select has_function_privilege(to_regprocedure('audio_data_refresh(integer)'), 'execute') as may`,
  parameters: [],
};

/**
 * Stores all that has changed since the last refresh.
 *
 * @param onStep called after each statement that stored something
 * @returns how many these were; 0 also where another process refreshes, and on a standby
 */
export async function refreshRollups(
  db: Pick<Database, 'query'>,
  halfHours: number,
  onStep?: () => void | Promise<void>,
): Promise<number> {
  const [right] = await db.query<{ may: boolean | null }>(may);
  if (!right?.may) return 0;
  for (let steps = 0; ; steps++) {
    const [row] = await db.query<{ stored: number | null }>(refresh, { half_hours: halfHours });
    if (!row?.stored) return steps;
    await onStep?.();
  }
}

/** Refreshes now and then once a minute. Logs a fault, once until it passes. */
export function startRefreshing(
  db: Database,
  log: { warn(fields: object, message: string): void },
): { stop(): Promise<void> } {
  const halfHours = db.pools ? HALF_HOURS.server : HALF_HOURS.embedded;
  const stopping = new AbortController();
  const { signal } = stopping;
  let isFailing = false;
  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        await refreshRollups(db, halfHours, () => signal.throwIfAborted());
        isFailing = false;
      } catch (error) {
        if (signal.aborted) return;
        if (!isFailing) log.warn({ err: error }, 'The rollups cannot be refreshed: statistics are slower');
        isFailing = true;
      }
      await sleep(EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
