// Stores segments as they come: each once, whoever is killed when, and though the answer to a commit is lost.
import type { Database, Transaction } from '../../../db/database.ts';
import { codeOf } from '../../../db/faults.ts';
import { isMissing } from '../../../db/station-schemas.ts';
import { notedBefore, noteNew } from '../../../db/stored-once.ts';
import { reasonOf } from '../../../db/unreachable-reason.ts';
import { startLoop } from '../../../loop.ts';
import type { Corrections, OverloadByMinute } from '../../measured-point.ts';
import { createOnceAMinute } from '../../once-a-minute.ts';
import { messageOf } from '../../progress.ts';
import { renewLease } from '../admit-recorder.ts';
import { notePeriods, type RecordedStretch } from '../periods/note-periods.ts';
import { publishNewest } from '../periods/published-periods.ts';
import { readHead } from '../periods/recorded-as.ts';
import { addCorrections } from '../store-corrections.ts';
import { addOverload } from '../store-overload.ts';
import { carryOut } from './old-orders.ts';
import { BadSegment, type Segment, type SegmentRead, type Spool } from './spool.ts';

/** How much is stored in one transaction, but one segment at least. */
const MOST_SEGMENTS = 1000;
const MOST_POINTS = 50_000;

/** Not long for a transaction whose client is lost: the server may not know yet. */
const BRIEFLY = "set local lock_timeout = '10s'";
const PATIENTLY = 'set local lock_timeout = 0';

/** The system tells of new segments; where it does not, they wait so long. */
const POLL_MS = 1000;
const LONGEST_WAIT_MS = 5000;

/**
 * Stores what waits, oldest first. What can never be stored is set aside, and does not hold up the others.
 *
 * The database notes the numbers of the segments that it has stored of each writer, in the transaction that stores their
 * points. It stores none twice: after a kill, a lost answer, a second write, or from a copy of the folder.
 *
 * How the points were recorded is noted in that transaction too, and told to recorders in the folder.
 *
 * @param report shows a line to the user
 * @param adds whether live points are stored beside those of other live recorders
 */
export function createSegmentStore(db: Database, spool: Spool, report: (line: string) => void, adds = false) {
  const tidying = createOnceAMinute();

  /** Now and then: others may have left files, or changed the periods. */
  async function tidy(): Promise<void> {
    if (!tidying.isDue()) return;
    try {
      for (const name of await spool.tidy(() => notedBefore(db, spool.id)))
        report(`Warning: ${spool.folder}/${name} is set aside: no recorder wrote it`);
      await publishNewest(spool, db).catch(tidying.again); // the points matter more
    } catch (error) {
      tidying.again();
      throw error;
    }
  }

  async function refuse({ name }: Segment, reason: string): Promise<void> {
    await spool.setAside(name);
    report(`Warning: the points in ${spool.folder}/${name} are set aside, they cannot be stored: ${reason}`);
  }

  /** @param told receives what the heads of the segments say, once they are read */
  async function* rowsOf(segments: readonly Segment[], told: Told): AsyncGenerator<string> {
    for (const segment of segments) {
      const read: SegmentRead = { count: 0 };
      yield* spool.rows(segment, read);
      const { head, first, last } = read;
      if (head === undefined) continue;
      const said = readHead(head);
      if (!said) throw new BadSegment(segment, 'its first line does not say how it was recorded');
      if (first === undefined || last === undefined) continue;
      told.stretches.push({ as: said.as, first, last });
      if (said.overload) told.overload.push(said.overload);
      if (said.corrections) told.corrections.push(said.corrections);
    }
  }

  /** @returns what was noted of their periods */
  async function store(transaction: Transaction, { writer, isOrder }: Segment, batch: readonly Segment[]) {
    const { run, copy } = transaction;
    const numbers = batch.map(({ number }) => number);
    await run(BRIEFLY, []);
    const fresh = await noteNew(run, writer, numbers);
    await run(PATIENTLY, []);
    const segments = batch.filter(({ number }) => fresh.has(number));
    if (!adds && segments.some(({ coversMs }) => coversMs > 0)) await renewLease(run, spool);
    const told: Told = { stretches: [], overload: [], corrections: [] };
    if (isOrder)
      for (const order of segments) {
        const stretch = await carryOut(transaction, order, spool);
        if (stretch) told.stretches.push(stretch);
      }
    else await copy(rowsOf(segments, told));
    await addOverload(run, told.overload);
    await addCorrections(run, told.corrections);
    return notePeriods(run, told.stretches);
  }

  /** @throws AppError SERVICE_UNAVAILABLE or GATEWAY_TIMEOUT where the database is away; any other as it came */
  return async function storeAll(): Promise<void> {
    let most = MOST_SEGMENTS;
    for (;;) {
      await tidy();
      const batch = firstOf(await spool.waiting(), most);
      const [oldest] = batch;
      if (!oldest) return;
      try {
        const { isChanged, warnings } = await db.transaction(
          (transaction) => store(transaction, oldest, batch),
          { isRepeatable: true, purpose: oldest.isOrder ? 'replace' : 'store' },
        );
        if (isChanged || oldest.isOrder) tidying.again();
        for (const warning of warnings) report(warning);
        await spool.remove(batch);
      } catch (error) {
        if (isGone(error)) continue; // pushed out by newer points, or stored by another
        if (error instanceof BadSegment) await refuse(error.segment, error.message);
        else if (!isRefusal(error)) throw error;
        else if (batch.length > 1) most = 1;
        else await refuse(oldest, error.message);
      }
    }
  };
}

/** How the points of segments were recorded, how many are of overloaded windows, and how far times were moved. */
interface Told {
  readonly stretches: RecordedStretch[];
  readonly overload: OverloadByMinute[];
  readonly corrections: Corrections[];
}

/** Does so again and again, and waits for a database that is away. The parameters are those above. */
export function startStoring(db: Database, spool: Spool, report: (line: string) => void, adds = false) {
  const storeAll = createSegmentStore(db, spool, report, adds);
  let fault: unknown;
  const sayingRemoved = createOnceAMinute();

  async function store(): Promise<number> {
    await storeAll();
    if (fault !== undefined) report('Points can be stored again; those that waited are.');
    fault = undefined;
    return POLL_MS;
  }

  function note(error: unknown, failures: number): number {
    const message = messageOf(error);
    const reason = reasonOf(error);
    const because = reason === message ? '' : ` (${reason})`;
    if ((isMissing(error) && sayingRemoved.isDue()) || fault === undefined)
      report(`Warning: ${message}${because}. Trying again; points wait in ${spool.folder}.`);
    fault = error;
    return Math.min(LONGEST_WAIT_MS, 250 * 2 ** failures);
  }

  const storing = startLoop(store, note);
  const watching = new AbortController();
  spool.watch(storing.wake, watching.signal);
  return {
    /** The fault of the last attempt, if it failed. */
    fault: () => fault,
    /** Stores what waits, unless the database is away, and ends. */
    async stop(): Promise<void> {
      watching.abort();
      await storing.stop();
      if (fault === undefined) await store().catch((error) => note(error, 1)); // what has come since it looked
    },
  };
}

/** The oldest, with others of its writer up to the next order, which is alone. */
function firstOf(segments: readonly Segment[], most: number): Segment[] {
  const order = segments.findIndex(({ isOrder }) => isOrder);
  const before = segments.slice(0, order < 0 ? undefined : Math.max(1, order));
  const own = before.filter(({ writer }) => writer === segments[0]?.writer).slice(0, most);
  let points = 0;
  return own.filter((segment, place) => {
    points += segment.points;
    return place === 0 || points <= MOST_POINTS;
  });
}

function isGone(error: unknown): boolean {
  return (
    error instanceof Error && codeOf(error) === 'ENOENT' && 'syscall' in error && error.syscall === 'open'
  );
}

/** Whether the database refuses the rows themselves: data exceptions, and constraints. */
function isRefusal(error: unknown): error is Error {
  return error instanceof Error && /^2[23]/.test(codeOf(error));
}
