// Stores the points of files, of each all or none: at once, or through the spool where another process has the database.
import { join } from 'node:path';
import { MOST_PERIODS } from '../contract/periods.ts';
import { FolderInUse } from '../db/data-folder.ts';
import type { Database, Run } from '../db/database.ts';
import { newestPeriods } from '../db/periods.ts';
import { BadInput } from './bad-input.ts';
import { assertLevelsCompare } from './periods/assert-levels-compare.ts';
import { noteRecording } from './periods/note-periods.ts';
import type { RecordedAs } from './periods/recorded-as.ts';
import type { PointCount } from './progress.ts';
import type { RecorderIo } from './recorder-io.ts';
import { handOver, storeOurselves } from './spool/hand-over.ts';
import type { Order } from './spool/order.ts';
import type { Segment } from './spool/segment.ts';
import { createSegmentStore } from './spool/segment-store.ts';
import {
  findPoints,
  nothing,
  type PointInterval,
  PointsFound,
  replacePoints,
  storeNew,
} from './store-interval.ts';

interface RecordedFile {
  readonly as: RecordedAs;
  /** When its sound begins and, if that is known, ends: canonical. */
  readonly start: string;
  readonly end?: string | undefined;
  /** Whether its time must have no points yet. */
  readonly isNew: boolean;
}

export interface PointStore extends AsyncDisposable {
  /**
   * @param csv rows, which are read once
   * @param count of the rows that were read
   * @param recorded how they were recorded, if that is known
   * @returns false where they wait for whoever has the database, which is said
   * @throws what `csv` throws, then nothing is stored; AppError BAD_REQUEST where levels do not compare with those before;
   *   PointsFound where it must be new and is not
   */
  store(csv: AsyncIterable<string>, count: PointCount, recorded?: RecordedFile): Promise<boolean>;
  /**
   * Stores points where none are from the first of them to the last.
   *
   * @param read counts the rows as they are read
   * @returns false where they wait for whoever has the database, which is said
   * @throws PointsFound where points are there
   */
  storeNew(csv: AsyncIterable<string>, read: PointCount): Promise<boolean>;
  /**
   * Stores points in place of those that are there.
   *
   * @param csv rows, all of them in the interval; none only removes
   * @returns the points that were there; undefined where the order waits for whoever has the database, which is said
   */
  replace(csv: AsyncIterable<string>, interval: PointInterval): Promise<PointCount | undefined>;
  find(interval: PointInterval): Promise<PointCount>;
}

/** What is said where another process has the database. */
const SHARED =
  'Another process has the database: the points go to it through the spool, and its rollups catch up.';

export async function openPointStore(io: RecorderIo, shared = SHARED): Promise<PointStore> {
  const db = await io.openDatabase().catch((error) => {
    if (!(error instanceof FolderInUse)) throw error;
  });
  if (!db) {
    const store = await storeThroughSpool(io); // refused where the folder is the demo's
    io.progress(shared);
    return store;
  }
  try {
    return await storeOnDatabase(db, io);
  } catch (error) {
    await db.close();
    throw error;
  }
}

async function storeOnDatabase(db: Database, io: RecorderIo): Promise<PointStore> {
  // what recorders left while nobody had the folder; before: what was written earlier is stored earlier
  const storeWaiting =
    io.database === 'embedded' ? createSegmentStore(db, await io.openSpool(), io.progress) : undefined;
  await storeWaiting?.();
  return {
    async store(csv, count, recorded) {
      if (recorded)
        assertLevelsCompare(recorded.as, await newestPeriods(db, MOST_PERIODS), recorded.start, recorded.end);
      const note = (run: Run) => noteRecording(run, recorded?.as, count, io.progress);
      if (recorded?.isNew) await storeNew(db, csv, count, undefined, note);
      else
        await db.transaction(async ({ run, copy }) => {
          await copy(csv);
          await note(run);
        });
      await storeWaiting?.(); // and tells recorders of the period
      return true;
    },
    storeNew: (csv, read) => storeNew(db, csv, read),
    replace: (csv, interval) => replacePoints(db, csv, interval),
    find: (interval) => findPoints(db, interval),
    [Symbol.asyncDispose]: () => db.close(),
  };
}

async function storeThroughSpool(io: RecorderIo): Promise<PointStore> {
  const spool = await io.openSpool();

  /** @returns whether it has left the spool */
  async function isTaken(segment: Segment): Promise<boolean> {
    if (!(await handOver(segment, spool, () => storeOurselves(spool, io), io.signal))) return false;
    if (await spool.isAside(segment.name))
      throw new BadInput(
        `The points could not be stored, and are kept in ${join(spool.folder, segment.name)}.set-aside: the log of the service says why`,
      );
    return true;
  }

  async function give(order: Order, csv: AsyncIterable<string> = nothing()) {
    const segment = await spool.write(csv, { order });
    if (!segment) throw new TypeError('An order is written even without rows');
    const isCarriedOut = await isTaken(segment);
    if (!isCarriedOut)
      io.progress(`What was asked waits in ${spool.folder}: whoever has the database does it.`);
    return { segment, isCarriedOut, found: await spool.takeAnswer(segment) };
  }

  async function giveNew(csv: AsyncIterable<string>, as?: RecordedAs): Promise<boolean> {
    const { found = { count: 0 }, isCarriedOut } = await give({ mode: 'new', as }, csv);
    if (found.count > 0) throw new PointsFound(found);
    return isCarriedOut;
  }

  return {
    async store(csv, _count, recorded) {
      if (recorded) assertLevelsCompare(recorded.as, await spool.periods(), recorded.start, recorded.end);
      if (recorded?.isNew) return giveNew(csv, recorded.as);
      const segment = await spool.write(csv, { as: recorded?.as });
      if (!segment) return true;
      const isStored = await isTaken(segment);
      if (!isStored) io.progress(`The points wait in ${spool.folder}: whoever has the database stores them.`);
      return isStored;
    },
    storeNew: (csv) => giveNew(csv),
    async replace(csv, interval) {
      const { found = { count: 0 }, isCarriedOut } = await give({ mode: 'replace', ...interval }, csv);
      return isCarriedOut ? found : undefined;
    },
    async find(interval) {
      const { segment, found } = await give({ mode: 'count', ...interval });
      if (found) return found;
      await spool.remove([segment]);
      throw new BadInput('No answer came from the process that has the database: try again');
    },
    async [Symbol.asyncDispose]() {},
  };
}
