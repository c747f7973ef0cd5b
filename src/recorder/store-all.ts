// Stores the points of a file, all or none: at once, or through the spool where another process has the database.
import { join } from 'node:path';
import { MOST_PERIODS, type Period } from '../contract/periods.ts';
import { FolderInUse } from '../db/data-folder.ts';
import type { Database } from '../db/database.ts';
import { newestPeriods } from '../db/periods.ts';
import { BadInput } from './bad-input.ts';
import { assertLevelsCompare } from './periods/assert-levels-compare.ts';
import { notePeriods } from './periods/note-periods.ts';
import type { RecordedAs } from './periods/recorded-as.ts';
import { type PointCount, storedLine } from './progress.ts';
import type { RecorderIo } from './recorder-io.ts';
import { handOver, storeOurselves } from './spool/hand-over.ts';
import { createSegmentStore } from './spool/segment-store.ts';
import type { Spool } from './spool/spool.ts';

interface RecordedFile {
  readonly as: RecordedAs;
  /** When its sound begins and, if that is known, ends: canonical. */
  readonly start: string;
  readonly end?: string | undefined;
}

/**
 * Says what became of them.
 *
 * @param csv rows, which are read once
 * @param count of the rows that were read
 * @param recorded how they were recorded, if that is known
 * @throws what `csv` throws, then nothing is stored; AppError BAD_REQUEST where levels do not compare with those before
 */
export async function storeAll(
  csv: AsyncIterable<string>,
  count: PointCount,
  io: RecorderIo,
  recorded?: RecordedFile,
): Promise<void> {
  const assertFits = (periods: readonly Period[]) =>
    recorded && assertLevelsCompare(recorded.as, periods, recorded.start, recorded.end);
  const db = await io.openDatabase().catch((error) => {
    if (!(error instanceof FolderInUse)) throw error;
  });
  if (!db) {
    const spool = await io.openSpool();
    assertFits(await spool.periods());
    return storeThroughSpool(csv, count, spool, io, recorded?.as);
  }
  try {
    // before: what was written earlier is stored earlier
    const storeWaiting = io.database === 'embedded' ? await openWaiting(db, io) : undefined;
    await storeWaiting?.();
    assertFits(await newestPeriods(db, MOST_PERIODS));
    await db.copyIn(csv, undefined, async (run) => {
      const { first, last } = count;
      if (!recorded || first === undefined || last === undefined) return;
      const { warnings } = await notePeriods(run, [{ as: recorded.as, first, last }]);
      for (const warning of warnings) io.progress(warning);
    });
    await storeWaiting?.(); // and tells recorders of the period
  } finally {
    await db.close();
  }
  io.progress(storedLine(count));
}

/** What recorders left while nobody had the folder. */
async function openWaiting(db: Database, io: RecorderIo): Promise<() => Promise<void>> {
  const spool = await io.openSpool();
  return () => createSegmentStore(db, spool, io.progress)();
}

async function storeThroughSpool(
  csv: AsyncIterable<string>,
  count: PointCount,
  spool: Spool,
  io: RecorderIo,
  as: RecordedAs | undefined,
): Promise<void> {
  io.progress('Another process has the database: the points go to it through the spool.');
  const segment = await spool.write(csv, { as });
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
