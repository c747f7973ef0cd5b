// Opens the database to store or delete points.
import type { Database } from '../../database/database.ts';
import { closedOnFault, isAway } from '../../database/faults.ts';
import type { RecorderIo } from '../recorder-io.ts';
import { createSegmentStore } from './spool/segment-store.ts';

/** First stores the embedded database's spool: its points came earlier. Points that wait for a lease keep waiting. */
export async function openPoints(io: RecorderIo): Promise<Database & AsyncDisposable> {
  const db = await io.openDatabase(); // throws for the demo's folder, and for an unknown station
  async function storeWaiting(): Promise<void> {
    const storeAll = createSegmentStore(db, await io.openSpool(), io.progress);
    await storeAll().catch((error) => {
      if (!isAway(error)) throw error;
    });
  }
  if (io.database === 'embedded') await closedOnFault(storeWaiting(), db);
  return { ...db, [Symbol.asyncDispose]: () => db.close() };
}
