// Keeps the points of a stream: on disk at once, in the spool, and from there in the database.
import { setTimeout as delay } from 'node:timers/promises';
import type { Period } from '../../contract/periods.ts';
import type { Point } from '../../contract/point.ts';
import { FolderInUse } from '../../db/data-folder.ts';
import type { Database } from '../../db/database.ts';
import { isAway } from '../../db/faults.ts';
import { type PointCount, storedLine } from '../progress.ts';
import type { RecorderIo } from '../recorder-io.ts';
import { askForPeriods, assertLevelsCompare } from './periods/assert-levels-compare.ts';
import type { RecordedAs } from './periods/recorded-as.ts';
import { assertLeaseIsFree, holdForLive } from './spool/live-lease.ts';
import { createSegmentStore } from './spool/segment-store.ts';
import type { Segment, Spool } from './spool/spool.ts';
import { createSpoolWriter } from './spool/spool-writer.ts';
import { startStoring } from './spool/storing.ts';

interface KeepingOptions {
  /** Another folder than the default one. */
  readonly spool?: string | undefined;
  /** The time of the first point, canonical; undefined where the clock tells it. */
  readonly start?: string | undefined;
  /** How far apart points are, and how much time those may cover that wait; undefined: all may wait. */
  readonly live?: { readonly intervalMs: number; readonly mostMs: number } | undefined;
  /** Whether they are stored beside those of other live recorders. */
  readonly adds?: boolean;
  /** How they were recorded, if that is known. */
  readonly as?: RecordedAs | undefined;
}

interface Keeping {
  /** Takes points, oldest first. */
  add(points: readonly Point[]): Promise<void>;
  /** How many points wait for the database, in memory and in the spool, whoever left them there. */
  waiting(): Promise<number>;
  /**
   * Writes what is left, waits some seconds until all is stored, and says what became of it.
   *
   * @throws the fault of the disk, or of the database
   */
  close(): Promise<void>;
}

/** How long the end waits for a database that is away, or for a service that has it. */
const PATIENCE_MS = 15_000;
const LOOK_EVERY_MS = 100;

/** @throws AppError BAD_REQUEST where the levels do not compare with those before */
export async function keepPoints(options: KeepingOptions, io: RecorderIo): Promise<Keeping> {
  const { start, live, adds = false, as } = options;
  const spool = await io.openSpool(options.spool);
  const isOnly = live !== undefined && !adds;
  const release = isOnly ? holdForLive(spool) : () => {};
  const assertFits = (periods: readonly Period[]) =>
    as && assertLevelsCompare(as, periods, start ?? io.now());
  const assertMay = async (db: Database) => {
    assertFits(await askForPeriods(db, spool));
    if (isOnly) await assertLeaseIsFree(db, spool).catch(unlessAway);
  };
  const storing = await (io.database === 'server'
    ? storeOnServer(spool, io, assertMay, adds)
    : storeOnFolder(spool, io, assertFits, adds, options.spool !== undefined)
  ).catch((error) => {
    release();
    throw error;
  });
  const writer = createSpoolWriter({ spool, report: io.progress, live, as });

  return {
    add: writer.add,
    async waiting() {
      const segments = await spool.waiting();
      return segments.reduce((sum, { points }) => sum + points, writer.pending());
    },
    async close() {
      try {
        const { written, last } = await writer.close();
        const isStored = !last || (await storing.finish(last));
        io.progress(isStored ? storedLine(written) : waitingLine(written, spool));
      } finally {
        release();
        await storing.close();
      }
    },
  };
}

interface Storing {
  /** @returns whether all up to this segment is stored */
  finish(last: Segment): Promise<boolean>;
  close(): Promise<void>;
}

type AssertFits = (periods: readonly Period[]) => void;

/** While the sound goes on: a server takes points from many. */
async function storeOnServer(
  spool: Spool,
  io: RecorderIo,
  assertMay: (db: Database) => Promise<void>,
  adds: boolean,
): Promise<Storing> {
  const db = await io.openDatabase();
  try {
    await assertMay(db);
  } catch (error) {
    await db.close();
    throw error;
  }
  const storing = startStoring(db, spool, io.progress, adds);
  return {
    async finish(last) {
      const failForGood = () => {
        const fault = storing.fault();
        if (fault !== undefined && !isAway(fault)) throw fault;
      };
      const isStored = await waitUntilTaken(last, spool, failForGood);
      if (!isStored && storing.fault()) {
        io.progress(`Points wait in ${spool.folder}: the next recorder stores them.`);
        throw storing.fault();
      }
      return isStored;
    },
    async close() {
      await storing.stop();
      await db.close();
    },
  };
}

/**
 * At the end. Before, the service stores what comes, if there is one.
 *
 * @param isElsewhere whether the spool is outside the folder: then the service alone stores it
 */
async function storeOnFolder(
  spool: Spool,
  io: RecorderIo,
  assertFits: AssertFits,
  adds: boolean,
  isElsewhere: boolean,
): Promise<Storing> {
  assertFits(await spool.periods());
  return {
    async finish(last) {
      if (isElsewhere) return waitUntilTaken(last, spool);
      try {
        const db = await io.openDatabase();
        await createSegmentStore(db, spool, io.progress, adds)().finally(() => db.close());
        return true;
      } catch (error) {
        if (error instanceof FolderInUse || isAway(error)) return false;
        throw error;
      }
    },
    close: async () => {},
  };
}

/**
 * Waits some seconds until a segment, and all that was written before it, has left the spool.
 *
 * @param assertGoesOn its fault ends the wait
 * @returns whether it has
 */
async function waitUntilTaken(last: Segment, spool: Spool, assertGoesOn = () => {}): Promise<boolean> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    assertGoesOn();
    const [oldest] = await spool.waiting();
    if (!oldest || oldest.name > last.name) return true;
    if (performance.now() > end) return false;
    await delay(LOOK_EVERY_MS);
  }
}

/** A database that is away says later whether it is free. */
function unlessAway(error: unknown): void {
  if (!isAway(error)) throw error;
}

function waitingLine({ count, first, last }: PointCount, spool: Spool): string {
  return `${count.toLocaleString('en')} points, ${first} to ${last}, wait in ${spool.folder}: whoever has the database stores them.`;
}
