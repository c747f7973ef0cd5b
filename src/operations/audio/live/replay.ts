// A replay: the points that a stream sends before the points of the tail. Frames are built as they are sent.
import { nextIteration } from '../../../event-loop-queue.ts';
import {
  type Frame,
  frameOf,
  hashOf,
  LATE_MICROS,
  lineTime,
  nextLine,
  type StreamPosition,
  type Tally,
} from './frame.ts';

export interface IndexedLines {
  readonly lines: string;
  readonly count: number;
  /** The start of each line, then the end of the last. */
  readonly starts: Float64Array;
  /** The sum of the hashes before each line, then of all lines. */
  readonly sums: BigUint64Array;
}

/** The points from a time on, up to the last point that the tail has sent. */
export interface SentView extends IndexedLines {
  readonly position: StreamPosition;
  readonly next: number;
}

export interface Replay {
  readonly view: SentView;
  /** Sends points from this time on, in microseconds since 1970. Earlier points count only for event ids. */
  readonly since: bigint;
  readonly restartFrom: string | null;
}

/** The most points in a frame of a replay, besides points with the same time as its last point. */
const FRAME_POINTS = 1000;

/** Indexes the lines in chunks, one per iteration of the event loop. */
export async function indexLines(lines: string, count: number, signal: AbortSignal): Promise<IndexedLines> {
  const [starts, sums] = [new Float64Array(count + 1), new BigUint64Array(count + 1)];
  let [at, sum] = [0, 0n];
  for (let n = 0; n < count; n++) {
    const end = nextLine(lines, at);
    sum += hashOf(lines.slice(at, end));
    starts[n + 1] = end;
    sums[n + 1] = sum; // modulo 2^64
    at = end;
    if (n % FRAME_POINTS > 0) continue;
    await nextIteration();
    signal.throwIfAborted();
  }
  return { lines, count, starts, sums };
}

/** @returns the tally of the points in `[from, to)` */
export const tallyBetween = (view: SentView, from: bigint, to: bigint): Tally =>
  tallyOf(view, firstSince(view, from), firstSince(view, to));

/** Yields at least one frame. The last one has the position of the stream. */
export async function* framesOf(
  { view, since, restartFrom }: Replay,
  isStale: boolean,
): AsyncGenerator<Frame> {
  const { lines, count, starts, position } = view;
  const first = firstSince(view, since);
  const frame = (at: StreamPosition, from: number, to: number) =>
    frameOf(at, lines.slice(starts[from], starts[to]), {
      count: to - from,
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
    await nextIteration();
  }
  yield frame(position, from, count);
}

const timeAt = ({ lines, starts }: IndexedLines, index: number): bigint => lineTime(lines, starts[index]);

/** @returns the index of the first point at or after a time */
function firstSince(lines: IndexedLines, time: bigint): number {
  let [first, end] = [0, lines.count];
  while (first < end) {
    const middle = (first + end) >>> 1;
    if (timeAt(lines, middle) < time) first = middle + 1;
    else end = middle;
  }
  return first;
}

function tallyOf({ sums }: IndexedLines, from: number, to: number): Tally {
  return { count: to - from, hash: BigInt.asUintN(64, (sums[to] ?? 0n) - (sums[from] ?? 0n)) };
}
