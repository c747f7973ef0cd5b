// A replay: the points that a stream sends before those of the tail. Its frames are made as they are sent.
import { microsOf } from '../contract/instant.ts';
import { nextTurn } from '../load/event-loop-queue.ts';
import {
  type Frame,
  frameOf,
  hashOf,
  LATE_MICROS,
  nextLine,
  type Place,
  type Tally,
  timeOf,
} from './frame.ts';

/** Lines in order of time, and what is looked up in them. */
export interface Lines {
  readonly lines: Buffer;
  readonly count: number;
  /** Where each line begins, and the end of the last. */
  readonly starts: Float64Array;
  /** The sum of the hashes of the lines before each, and of them all. */
  readonly sums: BigUint64Array;
}

/** The points from a time on as the tail sees them: those that it sends later are not among them. */
export interface View extends Lines {
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

/** Looks at a piece of the lines in a turn of the event loop. */
export async function indexLines(lines: Buffer, count: number, signal: AbortSignal): Promise<Lines> {
  const [starts, sums] = [new Float64Array(count + 1), new BigUint64Array(count + 1)];
  let [at, sum] = [0, 0n];
  for (let n = 0; n < count; n++) {
    const end = nextLine(lines, at);
    sum += hashOf(lines.subarray(at, end));
    starts[n + 1] = end;
    sums[n + 1] = sum; // modulo 2^64
    at = end;
    if (n % FRAME_POINTS > 0) continue;
    await nextTurn();
    signal.throwIfAborted();
  }
  return { lines, count, starts, sums };
}

/** @returns the tally of the points from one time to before another */
export function tallyBetween(view: View, from: bigint, to: bigint): Tally {
  return tallyOf(view, firstSince(view, from), firstSince(view, to));
}

/** The frames of a replay: one at least, which says where the stream is. */
export async function* framesOf(
  { view, since, restartFrom }: Replay,
  isStale: boolean,
): AsyncGenerator<Frame> {
  const { lines, count, starts, place } = view;
  const first = firstSince(view, since);
  const frame = (at: Place, from: number, to: number) =>
    frameOf(at, lines.subarray(starts[from], starts[to]), {
      points: to - from,
      restartFrom: from === first ? restartFrom : null,
      isStale,
    });
  let from = first;
  while (from + FRAME_POINTS < count) {
    const time = timeAt(view, from + FRAME_POINTS - 1);
    const to = firstSince(view, time + 1n);
    if (to === count) break;
    yield frame({ time, ...tallyOf(view, firstSince(view, time - LATE_MICROS), to) }, from, to);
    from = to;
    await nextTurn();
  }
  yield frame(place, from, count);
}

/** When a point was measured, in microseconds since 1970. */
function timeAt({ lines, starts }: Lines, place: number): bigint {
  return microsOf(timeOf(lines, starts[place]));
}

/** @returns the place of the first point that is not before a time */
function firstSince(lines: Lines, time: bigint): number {
  let [first, end] = [0, lines.count];
  while (first < end) {
    const middle = (first + end) >>> 1;
    if (timeAt(lines, middle) < time) first = middle + 1;
    else end = middle;
  }
  return first;
}

function tallyOf({ sums }: Lines, from: number, to: number): Tally {
  return { count: to - from, hash: BigInt.asUintN(64, (sums[to] ?? 0n) - (sums[from] ?? 0n)) };
}
