// Stores the points of a file, all or none: at once, or through the spool where another process has the database.
import { join } from 'node:path';
import { FolderInUse } from '../db/data-folder.ts';
import type { Database } from '../db/database.ts';
import { BadInput } from './bad-input.ts';
import { type PointCount, storedLine } from './progress.ts';
import type { RecorderIo } from './recorder-io.ts';
import { handOver, storeOurselves } from './spool/hand-over.ts';
import { createSegmentStore } from './spool/segment-store.ts';

/**
 * Says what became of them.
 *
 * @param csv rows, which are read once
 * @param count of the rows that were read
 * @throws what `csv` throws; then nothing is stored
 */
export async function storeAll(csv: AsyncIterable<string>, count: PointCount, io: RecorderIo): Promise<void> {
  const db = await io.openDatabase().catch((error) => {
    if (!(error instanceof FolderInUse)) throw error;
  });
  if (!db) return storeThroughSpool(csv, count, io);
  try {
    await db.copyIn(csv);
    if (io.database === 'embedded') await storeWaiting(db, io);
  } finally {
    await db.close();
  }
  io.progress(storedLine(count));
}

/** What recorders left while nobody had the folder. */
async function storeWaiting(db: Database, io: RecorderIo): Promise<void> {
  const spool = await io.openSpool();
  await createSegmentStore(db, spool, io.progress)();
}

async function storeThroughSpool(
  csv: AsyncIterable<string>,
  count: PointCount,
  io: RecorderIo,
): Promise<void> {
  const spool = await io.openSpool();
  io.progress('Another process has the database: the points go to it through the spool.');
  const segment = await spool.write(csv);
  if (segment && !(await handOver(segment, spool, () => storeOurselves(spool, io), io.signal))) {
    io.progress(`The points wait in ${spool.folder}: whoever has the database stores them.`);
    return;
  }
  if (segment && (await spool.isAside(segment.name)))
    throw new BadInput(
      `The points could not be stored, and are kept in ${join(spool.folder, segment.name)}.set-aside: the log of the service says why`,
    );
  io.progress(storedLine(count));
}
