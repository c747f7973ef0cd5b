// Opens the database for a command that stores or removes points.
import type { Database } from '../../db/database.ts';
import { isAway } from '../../db/faults.ts';
import type { RecorderIo } from '../recorder-io.ts';
import { createSegmentStore } from './spool/segment-store.ts';

/**
 * Stores first what waits in the spool of the embedded database: recorders wrote it before. Points that wait for the
 * lease of another recorder go on waiting.
 */
export async function openPoints(io: RecorderIo): Promise<Database & AsyncDisposable> {
  const db = await io.openDatabase(); // refused if the folder is the demo's, or there is no such station
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
