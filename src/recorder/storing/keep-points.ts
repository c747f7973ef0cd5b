// Keeps the points of a stream: at once on disk in the spool, and from there in the database.
import { setTimeout as delay } from 'node:timers/promises';
import { type PointCount, storedLine } from '../../commands/progress.ts';
import type { Database } from '../../database/database.ts';
import { closedOnFault, FolderInUse, isAway } from '../../database/faults.ts';
import type { RecorderIo } from '../recorder-io.ts';
import { admitRecorder } from './admit-recorder.ts';
import { assertKept } from './expiring-points.ts';
import { isRemoved } from './periods/note-periods.ts';
import { createSegmentStore, startStoring } from './spool/segment-store.ts';
import type { Segment, Spool } from './spool/spool.ts';
import { createSpoolWriter, type SpoolWriterOptions } from './spool/spool-writer.ts';

interface KeepingOptions extends Pick<SpoolWriterOptions, 'live' | 'as'> {
  readonly spool?: string | undefined;
  /** The time of the first point, canonical; undefined to use the clock. */
  readonly start?: string | undefined;
  readonly adds?: boolean;
}

/** How long to wait at the end for a database that is away, or for the service that holds it. */
const PATIENCE_MS = 15_000;
const LOOK_EVERY_MS = 100;

/** @throws what `admitRecorder` throws; BadInput if points that are not live would expire soon */
export async function keepPoints(options: KeepingOptions, io: RecorderIo) {
  const { start = io.now(), live, adds = false, as } = options;
  // a server is opened at once, but the embedded database may be open in a running service
  const db = io.database === 'server' ? await io.openDatabase() : undefined;
  const spool = await io.openSpool(options.spool);
  const held = db && { ...db, close: async () => {} };
  // with a spool elsewhere, another user's service holds the embedded database
  if (!live && (held || options.spool === undefined))
    await ifReached(
      async () => held ?? (await io.openDatabase()),
      (opened) => assertKept(opened, 'Standard input', start),
    );
  const recorder = { as, start, isAlone: live !== undefined && !adds };
  const release = await closedOnFault(admitRecorder(recorder, spool, db), ...(db ? [db] : []));
  if (as) await io.warnOfLimits(as.settings.reference_db, db);
  const storing = db && startStoring(db, spool, io.progress, adds);
  const writer = createSpoolWriter({ spool, report: io.progress, live, as });

  async function finish(last: Segment): Promise<boolean> {
    // only the service stores a spool outside DATA_DIR
    if (!storing && options.spool === undefined)
      return ifReached(io.openDatabase, (opened) => createSegmentStore(opened, spool, io.progress, adds)());
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
    keepNow: writer.keepNow,
    /** Whether the station was removed meanwhile. Points would wait until it is added again. */
    isRemoved: () => isRemoved(spool),
    /** How many points wait for the database, in memory and in the spool, including those of earlier recorders. */
    async waiting(): Promise<number> {
      const segments = await spool.waiting();
      return segments.reduce((sum, { points }) => sum + points, writer.pending());
    },
    /** Waits some seconds until all points are stored, and prints the result. @throws the fault of disk or database */
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

/** Does work on the database, unless it is away. @returns whether it could be reached */
async function ifReached(open: () => Promise<Database>, work: (db: Database) => Promise<void>) {
  try {
    const db = await open();
    await work(db).finally(() => db.close());
    return true;
  } catch (error) {
    if (error instanceof FolderInUse || isAway(error)) return false;
    throw error;
  }
}

/** Waits some seconds until a segment and everything before it has left the spool. @returns whether they have */
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

const waitingLine = ({ count, first, last }: PointCount, spool: Spool): string =>
  `${count.toLocaleString('en')} points, ${first} to ${last}, wait in ${spool.folder}: the service, or the next recorder, stores them.`;
