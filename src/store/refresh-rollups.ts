// Keeps the rollups that are tables (drizzle/0004) up to date. A refresh that is hours late makes answers slower, never wrong.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../db/database.ts';

const EVERY_MS = 60_000;

/** How the statements of a refresh are run: with no time limit where that can be. */
export type Run = <Row>(text: string, values: readonly number[]) => Promise<Row[]>;

/** Null where there is no such function. */
const MAY = `select has_function_privilege(to_regprocedure('audio_data_refresh(integer)'), 'execute') as may`;
const REFRESH = 'select audio_data_refresh($1::int) as stored';

/**
 * Stores all that has changed since the last refresh.
 *
 * @param halfHours how many a statement stores: at ten points a second one takes a tenth of a second
 * @param onStep called after each statement that stored something
 * @returns how many these were; 0 also where another process refreshes, and on a standby
 */
export async function refreshRollups(
  run: Run,
  halfHours: number,
  onStep?: () => void | Promise<void>,
): Promise<number> {
  const [right] = await run<{ may: boolean | null }>(MAY, []);
  if (!right?.may) return 0;
  for (let steps = 0; ; steps++) {
    const [row] = await run<{ stored: number | null }>(REFRESH, [halfHours]);
    if (!row?.stored) return steps;
    await onStep?.();
  }
}

/** Refreshes now and then once a minute. Logs a fault, once until it passes. */
export function startRefreshing(
  db: Database,
  log: { warn(fields: object, message: string): void },
): { stop(): Promise<void> } {
  const run: Run =
    db.run ??
    ((text, [halfHours = null]) =>
      db.query({ text, parameters: halfHours === null ? [] : ['half_hours'] }, { half_hours: halfHours }));
  const stopping = new AbortController();
  const { signal } = stopping;
  let isFailing = false;
  async function goOn(): Promise<void> {
    while (!signal.aborted) {
      try {
        await refreshRollups(run, 1, () => signal.throwIfAborted());
        isFailing = false;
      } catch (error) {
        if (signal.aborted) return;
        if (!isFailing) log.warn({ err: error }, 'The rollups cannot be refreshed: statistics are slower');
        isFailing = true;
      }
      await sleep(EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }
  const running = goOn();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
