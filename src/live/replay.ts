// What a stream begins with: what its listener has not seen, and whether it must drop what it has.
import { setTimeout as sleep } from 'node:timers/promises';
import { FIRST_MICROS, instantOfMicros, microsOf } from '../contract/instant.ts';
import { MAX_REPLAY_POINTS, MAX_REPLAY_SECONDS } from '../contract/live.ts';
import { startOfLast, tail } from '../queries/tail.ts';
import { nextTurn } from '../turns.ts';
import { type Frame, frameOf } from './frame.ts';
import { LATE } from './recent.ts';
import { add, type Place, placeOf, type Row, remove, rowOf, rowsOf, tallyOf } from './rows.ts';
import type { Snapshot, Tail } from './tail.ts';

/** Where a stream begins: canonical `from`, or the id of the last event that was received. */
export interface Start {
  readonly from: string;
  readonly lastEventId?: string | undefined;
  /** The clock of the request. */
  readonly now: string;
}

export interface Opening {
  /** Oldest first. */
  readonly rows: Row[];
  /** The points from this time on are sent; those before only say what the ids are. Microseconds since 1970. */
  readonly since: bigint;
  readonly restartFrom: string | null;
  /** Where the tail was. */
  readonly place: Place;
  /** The number of the frame that follows. */
  readonly next: number;
}

/** How many points a frame of a replay has, and those of the same time as the last. */
const FRAME_POINTS = 1000;

/** How long a database that is behind is waited for, in milliseconds. */
const PATIENCE_MS = 2000;

/** @returns how a stream begins */
export async function openingOf(tail: Tail, { from, lastEventId, now }: Start): Promise<Opening> {
  const hourAgo = microsOf(now) - BigInt(MAX_REPLAY_SECONDS) * 1_000_000n;
  // what the tail sends from now on may be as old as that
  const upToTail = (time: bigint) => earlier(time, tail.since);
  if (lastEventId === undefined) {
    const since = microsOf(from);
    if (since < upToTail(hourAgo)) return restart(tail, upToTail(hourAgo));
    return limited(tail, since, (view) => ({ ...view, since, restartFrom: null }));
  }
  const last = placeOf(lastEventId);
  if (last.time - LATE < upToTail(hourAgo)) return restart(tail, upToTail(hourAgo));
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const since = upToTail(last.time - LATE);
    const view = await viewFrom(tail, since);
    if (!view) return restart(tail, since);
    const known = tallyOf(view.rows.filter(({ time }) => time >= last.time - LATE && time <= last.time));
    if (known.count === last.count && known.hash === last.hash)
      return { ...view, since: last.time + 1n, restartFrom: null };
    if (known.count >= last.count || performance.now() > deadline)
      return { ...view, since, restartFrom: instantOfMicros(since) };
    await sleep(tail.options.pollMs);
  }
}

const earlier = (a: bigint, b: bigint) => (a < b ? a : b);

type View = Pick<Opening, 'rows' | 'place' | 'next'>;

/** All points from `since` on, or as many of the newest as may be replayed. */
function restart(tail: Tail, since: bigint): Promise<Opening> {
  return limited(tail, since, (view) => ({ ...view, since, restartFrom: instantOfMicros(since) }));
}

async function limited(tail: Tail, since: bigint, open: (view: View) => Opening): Promise<Opening> {
  const view = await viewFrom(tail, since - LATE);
  if (view) return open(view);
  const { db } = tail.options.store;
  const snapshot = tail.snapshot();
  const before = Math.max(MAX_REPLAY_POINTS - snapshot.rows.length, 0);
  const [from, to] = [instantOfMicros(since), instantOfMicros(snapshot.since)];
  const last = from < to ? await startOfLast(db, from, to, before) : undefined;
  const later = last === undefined ? since : microsOf(last) + 1n;
  const fewer = await viewFrom(tail, later, Number.POSITIVE_INFINITY);
  if (!fewer) throw new Error('There is always a view of all points');
  return { ...fewer, since: later, restartFrom: instantOfMicros(later) };
}

/**
 * The points from a time on, as the tail sees them: what is late there is not among them, and comes with its frames.
 *
 * @returns undefined where there are more than `most`
 */
async function viewFrom(tail: Tail, time: bigint, most = MAX_REPLAY_POINTS): Promise<View | undefined> {
  const from = time > FIRST_MICROS ? time : FIRST_MICROS;
  const snapshot = tail.snapshot();
  const before = await rowsBefore(tail, from, snapshot, most);
  const rows = [...before, ...snapshot.rows.filter(({ time }) => time >= from)];
  return rows.length > most ? undefined : { rows, place: snapshot.place, next: snapshot.next };
}

async function rowsBefore(live: Tail, from: bigint, { since }: Snapshot, most: number): Promise<Row[]> {
  if (from >= since) return [];
  const limit = Math.min(most + 1, 2 ** 31);
  const found = await tail(live.options.store.db, instantOfMicros(from), instantOfMicros(since), limit);
  const rows: Row[] = [];
  for (const bytes of rowsOf(found)) {
    if (rows.length % FRAME_POINTS === 0) await nextTurn();
    rows.push(rowOf(bytes));
  }
  return rows;
}

/** The frames of an opening: one at least, which says where the stream is. */
export async function* framesOf(
  { rows, since, restartFrom, place }: Opening,
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
