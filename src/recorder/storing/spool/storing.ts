// Stores the segments of a spool as they come, and waits for a database that is away.
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../../db/database.ts';
import { reasonOf } from '../../../db/unreachable-reason.ts';
import { messageOf } from '../../progress.ts';
import { createSegmentStore } from './segment-store.ts';
import type { Spool } from './spool.ts';

export interface Storing {
  /** Stores what waits, unless the database is away, and ends. */
  stop(): Promise<void>;
  /** The fault of the last attempt, if it failed. */
  fault(): unknown;
}

/** The system tells of new segments; where it does not, they wait so long. */
const POLL_MS = 1000;
const LONGEST_WAIT_MS = 5000;

/**
 * @param report shows a line to the user
 * @param adds whether live points are stored beside those of other live recorders
 */
export function startStoring(
  db: Database,
  spool: Spool,
  report: (line: string) => void,
  adds = false,
): Storing {
  const storeAll = createSegmentStore(db, spool, report, adds);
  const stopping = new AbortController();
  let failures = 0;
  let fault: unknown;
  let waking = Promise.withResolvers<void>();
  const wake = () => waking.resolve();
  const unwatch = spool.watch(wake);

  async function attempt(): Promise<void> {
    try {
      await storeAll();
      if (failures > 0) report('Points can be stored again; those that waited are.');
      failures = 0;
      fault = undefined;
    } catch (error) {
      failures += 1;
      fault = error;
      const message = messageOf(error);
      const reason = reasonOf(error);
      const because = reason === message ? '' : ` (${reason})`;
      if (failures === 1)
        report(`Warning: ${message}${because}. Trying again; points wait in ${spool.folder}.`);
    }
  }

  async function goOn(): Promise<void> {
    for (;;) {
      waking = Promise.withResolvers();
      await attempt();
      if (stopping.signal.aborted) return;
      const woken = new AbortController();
      if (failures === 0) waking.promise.then(() => woken.abort());
      const ms = failures > 0 ? Math.min(LONGEST_WAIT_MS, 250 * 2 ** failures) : POLL_MS;
      const signal = AbortSignal.any([woken.signal, stopping.signal]);
      await delay(ms, undefined, { ref: false, signal }).catch(() => {});
    }
  }

  const running = goOn();
  return {
    fault: () => fault,
    async stop() {
      stopping.abort();
      unwatch();
      await running;
      if (failures === 0) await attempt(); // what has come since it looked
    },
  };
}
