// Opens the database for a command that stores or removes points.
import type { Database } from '../../database/database.ts';
import { isAway } from '../../database/faults.ts';
import type { RecorderIo } from '../recorder-io.ts';
import { createSegmentStore } from './spool/segment-store.ts';

/**
 * First stores the points in the embedded database's spool, since they came earlier. Points that wait for another
 * recorder's lease keep waiting.
 */
export async function openPoints(io: RecorderIo): Promise<Database & AsyncDisposable> {
  const db = await io.openDatabase(); // throws for the demo's folder, and for an unknown station
  try {
    if (io.database === 'embedded')
      await createSegmentStore(db, await io.openSpool(), io.progress)().catch((error) => {
        if (!isAway(error)) throw error;
      });
    return { ...db, [Symbol.asyncDispose]: () => db.close() };
  } catch (error) {
    await db.close();
    throw error;
  }
}
