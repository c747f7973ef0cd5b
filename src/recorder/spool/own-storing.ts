// Stores what has waited for minutes in the spool of a data folder that nobody has.
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../progress.ts';
import type { RecorderIo } from '../recorder-io.ts';
import { storeOurselves } from './hand-over.ts';
import type { Spool } from './spool.ts';
import type { Storing } from './storing.ts';

const AFTER_MS = 120_000;
const LOOK_EVERY_MS = 30_000;

/**
 * Opening the database takes a second: it is left to the service where that runs, and else not done often.
 *
 * @param times how long points wait before, and how often it looks, in milliseconds
 */
export function startOwnStoring(
  spool: Spool,
  io: RecorderIo,
  times: { readonly after: number; readonly every: number } = { after: AFTER_MS, every: LOOK_EVERY_MS },
): Storing {
  const stopping = new AbortController();
  let fault: unknown;

  async function look(): Promise<void> {
    const [oldest] = await spool.waiting();
    if (oldest && Date.now() - oldest.writtenAt > times.after) await storeOurselves(spool, io);
  }

  async function goOn(): Promise<void> {
    const { signal } = stopping;
    for (;;) {
      await delay(times.every, undefined, { ref: false, signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        await look();
        fault = undefined;
      } catch (error) {
        if (!fault) io.progress(`Warning: ${messageOf(error)}. Points wait in ${spool.folder}.`);
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
