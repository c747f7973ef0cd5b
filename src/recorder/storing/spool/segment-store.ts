// Stores segments as they arrive, each exactly once, even after kills and lost commit responses.
import { createOnceAMinute, messageOf } from '../../../commands/progress.ts';
import type { Database, Transaction } from '../../../database/database.ts';
import { codeOf, isRefusal } from '../../../database/faults.ts';
import { LAST_FOR_OLDER } from '../../../database/schema-version.ts';
import { isMissing } from '../../../database/station-schemas.ts';
import { addOverload } from '../../../database/store-overload.ts';
import { noteNew } from '../../../database/stored-once.ts';
import { reasonOf } from '../../../database/unreachable-reason.ts';
import { AppError } from '../../../errors.ts';
import { startLoop } from '../../../loop.ts';
import { renewLease } from '../admit-recorder.ts';
import { expiryOf } from '../expiring-points.ts';
import { notePeriods, publishNewest } from '../periods/note-periods.ts';
import { readHead } from '../periods/recorded-as.ts';
import { BadSegment, type Segment, type SegmentRead, type Spool } from './spool.ts';

/** The most segments and points per transaction. A single segment may have more points. */
const MOST_SEGMENTS = 1000;
const MOST_POINTS = 50_000;

/** Short, since the lock may belong to a lost client that the server has not noticed yet. */
const BRIEFLY = "set local lock_timeout = '10s'";
const PATIENTLY = 'set local lock_timeout = 0';

const RECENT_MS = 60_000;

/** How often to look for new segments, in case the system does not notify us of them. */
const POLL_MS = 1000;
const LONGEST_WAIT_MS = 5000;

/**
 * Stores waiting segments, oldest first. Sets aside a segment that can never be stored, so that others can proceed.
 *
 * The transaction that stores the points also notes the segment's writer and number. So no segment is stored twice,
 * even after a kill, a lost response or a second write, or from a copy of the folder.
 *
 * It also notes how the points were recorded; a file in the folder publishes this to recorders.
 *
 * @param adds whether to store live points beside those of other live recorders
 */
export function createSegmentStore(db: Database, spool: Spool, report: (line: string) => void, adds = false) {
  const tidying = createOnceAMinute();
  const sayingOld = createOnceAMinute();

  /** Runs now and then, since other processes may leave files or change the periods. */
  async function tidy(): Promise<void> {
    if (!tidying.isDue()) return;
    try {
      for (const name of await spool.tidy())
        report(
          `Warning: set aside ${spool.folder}/${name}, which no recorder of this version wrote. Delete it, or let commit ${LAST_FOR_OLDER} store it`,
        );
      await publishNewest(spool, db).catch(tidying.again); // storing points comes first
    } catch (error) {
      tidying.again();
      throw error;
    }
  }

  async function refuse({ name }: Segment, reason: string): Promise<void> {
    await spool.setAside(name);
    report(
      `Warning: set aside ${spool.folder}/${name}, whose points cannot be stored: ${reason}. Fix or delete it`,
    );
  }

  /** @throws BadSegment if the segment is damaged */
  async function readSegment(segment: Segment) {
    const read: SegmentRead = { count: 0 };
    let rows = '';
    for await (const piece of spool.rows(segment, read)) rows += piece;
    const { head, first, last } = read;
    const parsed = head === undefined ? undefined : readHead(head);
    if (head !== undefined && !parsed)
      throw new BadSegment(
        segment,
        `its first line is not a head of this version (commit ${LAST_FOR_OLDER} reads older ones)`,
      );
    const isWhole = parsed !== undefined && first !== undefined && last !== undefined;
    return {
      ...{ rows, first },
      overload: parsed?.overload,
      stretch: isWhole ? { as: parsed.as, first, last } : undefined,
    };
  }

  async function store(transaction: Transaction, batch: readonly Segment[]) {
    await transaction.run(BRIEFLY);
    const fresh = new Map<string, Set<number>>();
    const writers = Map.groupBy(batch, ({ writer }) => writer);
    for (const writer of [...writers.keys()].sort()) {
      const numbers = (writers.get(writer) ?? []).map(({ number }) => number);
      fresh.set(writer, await noteNew(transaction, writer, numbers));
    }
    await transaction.run(PATIENTLY);
    // a key may have two segments
    const segments = batch.filter(({ writer, number }) => fresh.get(writer)?.delete(number));
    if (!adds && segments.some(({ coversMs }) => coversMs > 0)) await renewLease(transaction, spool);
    const parts = [];
    for (const segment of segments) parts.push(await readSegment(segment));
    await transaction.copy(parts.map(({ rows }) => rows).join(''));
    const overloads = parts.flatMap(({ overload }) => (overload ? [overload] : []));
    await addOverload(transaction, overloads);
    const stretches = parts.flatMap(({ stretch }) => stretch ?? []);
    const [first] = parts.flatMap((part) => part.first ?? []).sort();
    return { ...(await notePeriods(transaction, stretches)), first };
  }

  /** @param first the earliest time of stored points. If it is recent, the database is not asked */
  async function warnOfOld(first: string | undefined): Promise<void> {
    if (first === undefined || Date.now() - Date.parse(first) < RECENT_MS) return;
    const expiry = await expiryOf(db, first);
    if (expiry !== undefined && sayingOld.isDue())
      report(`Warning: ${expiry}. Such points were stored: to keep them, set it to off.`);
  }

  /** @throws AppError SERVICE_UNAVAILABLE or GATEWAY_TIMEOUT if the database is away, and any other error unchanged */
  return async function storeAll(): Promise<void> {
    let most = MOST_SEGMENTS;
    for (;;) {
      await tidy();
      const batch = firstOf(await spool.waiting(), most);
      const [oldest] = batch;
      if (!oldest) return;
      try {
        const how = { isRepeatable: true, purpose: 'store' } as const;
        const { isChanged, warnings, first } = await db.transaction((each) => store(each, batch), how);
        if (isChanged) tidying.again();
        for (const warning of warnings) report(warning);
        await spool.remove(batch);
        await warnOfOld(first);
      } catch (error) {
        if (isGone(error)) continue; // dropped for newer points, or stored by another process
        if (isMissing(error)) tidying.again(); // publishes that the station is gone, and later that it is back
        if (error instanceof BadSegment) await refuse(error.segment, error.message);
        else if (!isRefusal(error)) throw error;
        else if (batch.length > 1) most = 1;
        else await refuse(oldest, error.message);
      }
    }
  };
}

/** Runs {@link createSegmentStore}'s function repeatedly, and waits for a database that is away. */
export function startStoring(db: Database, spool: Spool, report: (line: string) => void, adds = false) {
  const storeAll = createSegmentStore(db, spool, report, adds);
  let fault: unknown;
  const sayingRemoved = createOnceAMinute();

  async function store(): Promise<number> {
    await storeAll();
    if (fault !== undefined) report('The database stores points again. All waiting points are stored.');
    fault = undefined;
    return POLL_MS;
  }

  function note(error: unknown, failures: number): number {
    const message = messageOf(error);
    const reason = reasonOf(error);
    const sentence = `${message}${reason === message ? '' : ` (${reason})`}`.replace(/[.;]$/, '');
    if ((isMissing(error) && sayingRemoved.isDue()) || fault === undefined)
      report(`Warning: ${sentence}. Points wait in ${spool.folder} until a retry succeeds.`);
    fault = error;
    return Math.min(LONGEST_WAIT_MS, 250 * 2 ** failures);
  }

  const storing = startLoop(store, note);
  const watching = new AbortController();
  spool.watch(storing.wake, watching.signal);
  return {
    fault: () => fault,
    /** Stores waiting segments if the database is up, then ends. */
    async stop(): Promise<void> {
      watching.abort();
      await storing.stop();
      if (fault === undefined) await store().catch((error) => note(error, 1)); // segments that arrived meanwhile
    },
  };
}

/** The oldest segments. */
function firstOf(segments: readonly Segment[], most: number): Segment[] {
  let points = 0;
  return segments.slice(0, most).filter((segment, index) => {
    points += segment.points;
    return index === 0 || points <= MOST_POINTS;
  });
}

/** Whether a file of a segment was missing. The database takes such a fault for one of its own. */
function isGone(error: unknown): boolean {
  const fault = error instanceof AppError ? error.cause : error;
  return (
    fault instanceof Error && codeOf(fault) === 'ENOENT' && 'syscall' in fault && fault.syscall === 'open'
  );
}
