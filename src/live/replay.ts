// A replay: the points that a stream sends before those of the tail. It is held in binary, and written as it is sent.
import { countRows, eachRow, nextRow } from '../db/binary-rows.ts';
import { nextTurn } from '../load/event-loop-queue.ts';
import type { Signal } from '../signal.ts';
import { type Frame, frameOf } from './frame.ts';
import { hashOf, LATE_MICROS, type Place, type Tally, timeOf } from './stream-position.ts';

/** The points from a time on as the tail sees them: those that it sends later are not among them. */
export interface View {
  /** In binary, oldest first. */
  readonly rows: Buffer;
  /** The sum of the hashes of the rows before each, and of them all: 64 bits each. */
  readonly sums: Buffer;
  /** Where the tail was. */
  readonly place: Place;
  /** The number of the frame of the tail that follows. */
  readonly next: number;
}

export interface Replay {
  readonly view: View;
  /** The points from this time on are sent; those before only say what the ids are. Microseconds since 1970. */
  readonly since: bigint;
  readonly restartFrom: string | null;
}

/** How many points a frame of a replay has, and those of the same time as the last. */
const FRAME_POINTS = 1000;

const SUM_BYTES = 8;

/** @returns the sums of a {@link View}, made a piece in a turn of the event loop */
export async function sumHashes(rows: Buffer, signal: Signal): Promise<Buffer> {
  const sums = Buffer.alloc((countRows(rows) + 1) * SUM_BYTES);
  let [at, sum] = [0, 0n];
  for (const row of eachRow(rows)) {
    sum = BigInt.asUintN(64, sum + hashOf(row));
    at = sums.writeBigUInt64LE(sum, at + SUM_BYTES) - SUM_BYTES;
    if (at % (FRAME_POINTS * SUM_BYTES) > 0) continue;
    await nextTurn();
    signal.throwIfAborted();
  }
  return sums;
}

/** @returns the tally of the points from one time to before another */
export function tallyBetween(view: View, from: bigint, to: bigint): Tally {
  const first = skipBefore(view.rows, from, START);
  return tallyOf(view, first.count, skipBefore(view.rows, to, first).count);
}

/** The frames of a replay: one at least, which says where the stream is. */
export async function* framesOf(
  { view, since, restartFrom }: Replay,
  isStale: boolean,
): AsyncGenerator<Frame> {
  const { rows, place } = view;
  const frame = (at: Place, from: Cursor, to: Cursor) =>
    frameOf(at, rows.subarray(from.at, to.at), {
      points: to.count - from.count,
      restartFrom: from === first ? restartFrom : null,
      isStale,
    });
  const first = skipBefore(rows, since, START);
  let [oldest, from, to] = [START, first, first];
  while (to.at < rows.length) {
    const time = timeOf(rows, to.at);
    to = { at: nextRow(rows, to.at), count: to.count + 1 };
    if (to.at === rows.length || to.count - from.count < FRAME_POINTS || timeOf(rows, to.at) === time)
      continue;
    oldest = skipBefore(rows, time - LATE_MICROS, oldest);
    yield frame({ time, ...tallyOf(view, oldest.count, to.count) }, from, to);
    from = to;
    await nextTurn();
  }
  yield frame(place, from, to);
}

/** A place among rows: in bytes, and how many rows are before it. */
interface Cursor {
  readonly at: number;
  readonly count: number;
}

const START: Cursor = { at: 0, count: 0 };

/** @returns the first row from `start` on that is not before a time */
function skipBefore(rows: Buffer, time: bigint, start: Cursor): Cursor {
  let { at, count } = start;
  for (; at < rows.length && timeOf(rows, at) < time; at = nextRow(rows, at)) count++;
  return { at, count };
}

function tallyOf({ sums }: View, from: number, to: number): Tally {
  const sum = (count: number) => sums.readBigUInt64LE(count * SUM_BYTES);
  return { count: to - from, hash: BigInt.asUintN(64, sum(to) - sum(from)) };
}
