// Stores what waits in the spool of a data folder where nobody else has that, and waits for what another stores.
import { setTimeout as delay } from 'node:timers/promises';
import { FolderInUse } from '../../db/data-folder.ts';
import type { RecorderIo } from '../recorder-io.ts';
import type { Segment } from './segment.ts';
import { createSegmentStore } from './segment-store.ts';
import type { Spool } from './spool.ts';

const LOOK_EVERY_MS = 100;

/** @returns whether this process stored what waited; false where another has the folder */
export async function storeOurselves(spool: Spool, io: RecorderIo): Promise<boolean> {
  try {
    const db = await io.openDatabase();
    try {
      await createSegmentStore(db, spool, io.progress)();
    } finally {
      await db.close();
    }
    return true;
  } catch (error) {
    if (error instanceof FolderInUse) return false;
    throw error;
  }
}

/**
 * Waits until a segment, and all that was written before it, has left the spool.
 *
 * @param help stores some of it, if it can; its fault ends the wait
 * @param signal ends the wait
 * @returns whether it has
 */
export async function handOver(
  last: Segment,
  spool: Spool,
  help: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<boolean> {
  for (;;) {
    await help();
    const [oldest] = await spool.waiting();
    if (!oldest || oldest.name > last.name) return true;
    if (signal.aborted) return false;
    await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}
