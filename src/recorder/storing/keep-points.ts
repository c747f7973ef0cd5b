// Keeps the points of a stream: on disk at once, in the spool, and from there in the database.
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../db/database.ts';
import { FolderInUse, isAway } from '../../db/faults.ts';
import { type PointCount, storedLine } from '../progress.ts';
import type { RecorderIo } from '../recorder-io.ts';
import { admitRecorder } from './admit-recorder.ts';
import type { RecordedAs } from './periods/recorded-as.ts';
import { assertKept } from './retention.ts';
import { createSegmentStore, startStoring } from './spool/segment-store.ts';
import type { Segment, Spool } from './spool/spool.ts';
import { createSpoolWriter } from './spool/spool-writer.ts';

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

/** How long the end waits for a database that is away, or for a service that has it. */
const PATIENCE_MS = 15_000;
const LOOK_EVERY_MS = 100;

/** @throws what `admitRecorder` throws; BadInput if points that are not live would be removed soon */
export async function keepPoints(options: KeepingOptions, io: RecorderIo) {
  const { start = io.now(), live, adds = false, as } = options;
  // a server takes points from many, while the sound goes on; the embedded database is that of a service, if there is one
  const db = io.database === 'server' ? await io.openDatabase() : undefined;
  const spool = await io.openSpool(options.spool);
  if (!live) await assertStreamKept(start, options, io, db);
  const recorder = { as, start, isAlone: live !== undefined && !adds };
  const release = await admitRecorder(recorder, spool, db).catch(async (error) => {
    await db?.close();
    throw error;
  });
  if (as) await io.warnOfLimits(as.settings.reference_db, db);
  const storing = db && startStoring(db, spool, io.progress, adds);
  const writer = createSpoolWriter({ spool, report: io.progress, live, as });

  /** @returns whether all up to this segment is stored */
  async function finish(last: Segment): Promise<boolean> {
    // a spool outside the folder is stored by the service alone
    if (!storing && options.spool === undefined) return storeInFolder(spool, io, adds);
    const isStored = await waitUntilTaken(last, spool, () => {
      const fault = storing?.fault();
      if (fault !== undefined && !isAway(fault)) throw fault;
    });
    const fault = storing?.fault();
    if (isStored || fault === undefined) return isStored;
    io.progress(`Points wait in ${spool.folder}: the next recorder stores them.`);
    throw fault;
  }

  return {
    /** Takes points, oldest first. */
    add: writer.add,
    /** How many points wait for the database, in memory and in the spool, whoever left them there. */
    async waiting(): Promise<number> {
      const segments = await spool.waiting();
      return segments.reduce((sum, { points }) => sum + points, writer.pending());
    },
    /**
     * Writes what is left, waits some seconds until all is stored, and says what became of it.
     *
     * @throws the fault of the disk, or of the database
     */
    async close(): Promise<void> {
      try {
        const { written, last } = await writer.close();
        const isStored = !last || (await finish(last));
        io.progress(isStored ? storedLine(written) : waitingLine(written, spool));
      } finally {
        release();
        await storing?.stop();
        await db?.close();
      }
    },
  };
}

/** @throws BadInput unless the database is out of reach: then nothing says how long it keeps points */
async function assertStreamKept(
  start: string,
  { spool }: KeepingOptions,
  io: RecorderIo,
  server: Database | undefined,
): Promise<void> {
  if (!server && spool !== undefined) return; // the database is that of another user's service
  try {
    const db = server ?? (await io.openDatabase());
    await assertKept(db, 'Standard input', start).finally(() => db !== server && db.close());
  } catch (error) {
    if (!(error instanceof FolderInUse || isAway(error))) throw error;
  }
}

/** @returns whether the database could be reached */
async function storeInFolder(spool: Spool, io: RecorderIo, adds: boolean): Promise<boolean> {
  try {
    const db = await io.openDatabase();
    await createSegmentStore(db, spool, io.progress, adds)().finally(() => db.close());
    return true;
  } catch (error) {
    if (error instanceof FolderInUse || isAway(error)) return false;
    throw error;
  }
}

/**
 * Waits some seconds until a segment, and all that was written before it, has left the spool.
 *
 * @param assertGoesOn its fault ends the wait
 * @returns whether it has
 */
async function waitUntilTaken(last: Segment, spool: Spool, assertGoesOn: () => void): Promise<boolean> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    assertGoesOn();
    const [oldest] = await spool.waiting();
    if (!oldest || oldest.name > last.name) return true;
    if (performance.now() > end) return false;
    await delay(LOOK_EVERY_MS);
  }
}

function waitingLine({ count, first, last }: PointCount, spool: Spool): string {
  return `${count.toLocaleString('en')} points, ${first} to ${last}, wait in ${spool.folder}: whoever has the database stores them.`;
}
