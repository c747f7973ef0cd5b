// Stores the segments of a spool as they come, and waits for a database that is away.
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../../db/database.ts';
import { reasonOf } from '../../../db/unreachable-reason.ts';
import { messageOf } from '../../progress.ts';
import { createSegmentStore } from './segment-store.ts';
import type { Spool } from './spool.ts';

/** The system tells of new segments; where it does not, they wait so long. */
const POLL_MS = 1000;
const LONGEST_WAIT_MS = 5000;

/**
 * @param report shows a line to the user
 * @param adds whether live points are stored beside those of other live recorders
 */
export function startStoring(db: Database, spool: Spool, report: (line: string) => void, adds = false) {
  const storeAll = createSegmentStore(db, spool, report, adds);
  const stopping = new AbortController();
  let failures = 0;
  let fault: unknown;
  let waking = new AbortController();
  spool.watch(() => waking.abort(), stopping.signal);

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
      waking = new AbortController();
      await attempt();
      if (stopping.signal.aborted) return;
      const signals = failures > 0 ? [stopping.signal] : [stopping.signal, waking.signal];
      const ms = failures > 0 ? Math.min(LONGEST_WAIT_MS, 250 * 2 ** failures) : POLL_MS;
      await delay(ms, undefined, { ref: false, signal: AbortSignal.any(signals) }).catch(() => {});
    }
  }

  const running = goOn();
  return {
    /** The fault of the last attempt, if it failed. */
    fault: () => fault,
    /** Stores what waits, unless the database is away, and ends. */
    async stop(): Promise<void> {
      stopping.abort();
      await running;
      if (failures === 0) await attempt(); // what has come since it looked
    },
  };
}
