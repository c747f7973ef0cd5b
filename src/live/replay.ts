// What a stream begins with: what its listener has not seen, and whether it must drop what it has.
import { FIRST_MICROS, instantOfMicros, microsOf } from '../contract/instant.ts';
import { MAX_REPLAY_POINTS, MAX_REPLAY_SECONDS } from '../contract/live.ts';
import { nextTurn } from '../load/event-loop-queue.ts';
import { startOfLast, tail } from '../queries/points/tail.ts';
import { type Frame, frameOf } from './frame.ts';
import { LATE } from './sent-points.ts';
import { add, type Place, placeOf, type Row, remove, rowOf, rowsOf, tallyOf } from './stream-position.ts';
import type { Snapshot, Tail } from './tail.ts';

/** Where a stream begins: canonical `from`, or the id of the last event that was received. */
export interface Start {
  readonly from: string;
  readonly lastEventId?: string | undefined;
  /** The clock of the request. */
  readonly now: string;
}

/** Where a stream begins. */
export interface Opening {
  /** The number of the frame of the tail that is sent first. */
  readonly next: number;
  /** What is sent before it. */
  readonly replay?: Replay;
}

/** Points that a listener has not seen. */
export interface Replay {
  /** Oldest first. */
  readonly rows: Row[];
  /** The points from this time on are sent; those before only say what the ids are. Microseconds since 1970. */
  readonly since: bigint;
  readonly restartFrom: string | null;
  /** Where the tail was. */
  readonly place: Place;
}

/** How many points a frame of a replay has, and those of the same time as the last. */
const FRAME_POINTS = 1000;

/** How long a database that is behind is waited for, in milliseconds. */
const PATIENCE_MS = 2000;

/** @returns where a stream begins: in the tail, where that has the last event still; else with a replay */
export async function openingOf(tail: Tail, { from, lastEventId, now }: Start): Promise<Opening> {
  const kept = lastEventId === undefined ? undefined : tail.after(lastEventId);
  if (kept !== undefined) return { next: kept };
  // what the tail sends from now on may be as old as that
  const oldest = earlier(microsOf(now) - BigInt(MAX_REPLAY_SECONDS) * 1_000_000n, tail.since);
  if (lastEventId === undefined) {
    const since = earlier(microsOf(from), microsOf(now));
    return since < oldest ? limited(tail, oldest, true) : limited(tail, since, false);
  }
  const last = placeOf(lastEventId);
  const since = earlier(last.time - LATE, tail.since);
  if (last.time - LATE < oldest) return limited(tail, oldest, true);
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const view = await viewFrom(tail, since);
    if (!view) return limited(tail, since, true);
    const known = tallyOf(view.rows.filter(({ time }) => time >= last.time - LATE && time <= last.time));
    if (known.count === last.count && known.hash === last.hash) return opening(view, last.time + 1n, false);
    if (known.count >= last.count || performance.now() > deadline) return opening(view, since, true);
    await tail.nextPoll();
  }
}

const earlier = (a: bigint, b: bigint) => (a < b ? a : b);

function opening({ next, ...view }: View, since: bigint, isRestart: boolean): Opening {
  return { next, replay: { ...view, since, restartFrom: isRestart ? instantOfMicros(since) : null } };
}

/** The opening with all points from `since` on, or with as many of the newest as may be replayed: then a restart. */
async function limited(tail: Tail, since: bigint, isRestart: boolean): Promise<Opening> {
  const view = await viewFrom(tail, since - LATE);
  if (view) return opening(view, since, isRestart);
  const snapshot = tail.snapshot();
  const before = Math.max(MAX_REPLAY_POINTS - snapshot.rows.length, 0);
  const [from, to] = [instantOfMicros(since), instantOfMicros(snapshot.since)];
  const last = from < to ? await startOfLast(tail.options.store.db, from, to, before) : undefined;
  const later = last === undefined ? since : microsOf(last) + 1n;
  const fewer = await viewFrom(tail, later, Number.POSITIVE_INFINITY);
  if (!fewer) throw new Error('There is always a view of all points');
  return opening(fewer, later, true);
}

/** The points from a time on, as the tail sees them: what is late there is not among them, and comes with its frames. */
interface View extends Pick<Replay, 'rows' | 'place'> {
  /** The number of the frame that follows. */
  readonly next: number;
}

/** @returns undefined where there are more than `most`. Those who come back together share it. */
function viewFrom(tail: Tail, time: bigint, most = MAX_REPLAY_POINTS): Promise<View | undefined> {
  const from = time > FIRST_MICROS ? time : FIRST_MICROS;
  return tail.untilNextPoll(`${from} ${most}`, async () => {
    const snapshot = tail.snapshot();
    const before = await rowsBefore(tail, from, snapshot, most);
    if (!before) return undefined;
    const rows = [...before, ...snapshot.rows.filter(({ time }) => time >= from)];
    return rows.length > most ? undefined : { rows, place: snapshot.place, next: snapshot.next };
  });
}

async function rowsBefore(live: Tail, from: bigint, { since }: Snapshot, most: number) {
  if (from >= since) return [];
  const limit = Math.min(most + 1, 2 ** 31);
  const found = await tail(live.options.store.db, instantOfMicros(from), instantOfMicros(since), limit);
  const all = [...rowsOf(found)];
  if (all.length > most) return undefined;
  const rows: Row[] = [];
  for (const bytes of all) {
    if (rows.length % FRAME_POINTS === 0) await nextTurn();
    rows.push(rowOf(bytes));
  }
  return rows;
}

/** The frames of a replay: one at least, which says where the stream is. */
export async function* framesOf(
  { rows, since, restartFrom, place }: Replay,
  isStale: boolean,
): AsyncGenerator<Frame> {
  const tally = { count: 0, hash: 0n };
  let [oldest, sent] = [0, 0];
  let points: Buffer[] = [];
  const frame = (at: Place) =>
    frameOf(at, points, { restartFrom: sent++ === 0 ? restartFrom : null, isStale });
  for (const [at, row] of rows.entries()) {
    add(tally, row);
    for (let out = rows[oldest]; out && out.time < row.time - LATE; out = rows[++oldest]) remove(tally, out);
    if (row.time >= since) points.push(row.bytes);
    const next = rows[at + 1];
    if (!next || points.length < FRAME_POINTS || next.time === row.time) continue;
    yield frame({ time: row.time, ...tally });
    points = [];
    await nextTurn();
  }
  if (points.length > 0 || sent === 0) yield frame(place);
}
