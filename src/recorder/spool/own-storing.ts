// Stores what has waited for minutes in the spool of a data folder that nobody has.
import { setTimeout as delay } from 'node:timers/promises';
import type { RecorderIo } from '../recorder-io.ts';
import { storeOurselves } from './hand-over.ts';
import type { Spool } from './spool.ts';
import type { Storing } from './storing.ts';

const AFTER_MS = 120_000;
const LOOK_EVERY_MS = 30_000;

/** Opening the database takes a second: it is left to the service where that runs, and else not done often. */
export function startOwnStoring(spool: Spool, io: RecorderIo): Storing {
  const stopping = new AbortController();
  let fault: unknown;

  async function look(): Promise<void> {
    const [oldest] = await spool.waiting();
    if (oldest && Date.now() - oldest.writtenAt > AFTER_MS) await storeOurselves(spool, io);
  }

  async function goOn(): Promise<void> {
    const { signal } = stopping;
    for (;;) {
      await delay(LOOK_EVERY_MS, undefined, { ref: false, signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        await look();
        fault = undefined;
      } catch (error) {
        if (!fault) io.progress(`Warning: ${String(error)}. Points wait in ${spool.folder}.`);
        fault = error;
      }
    }
  }

  const running = goOn();
  return {
    fault: () => fault,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
