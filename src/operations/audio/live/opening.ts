// Decides the start of a stream, the points that its listener lacks, and whether the listener must drop points.
import { FIRST_MICROS, instantOfMicros, microsOf } from '../../../contract/instant.ts';
import { earlier, later } from '../../../contract/ranges.ts';
import { unlessAborted } from '../../../signal.ts';
import { MAX_REPLAY_POINTS, MAX_REPLAY_SECONDS } from './contract.ts';
import { LATE_MICROS, positionOf } from './frame.ts';
import { tail as readTail, startOfLast } from './query.ts';
import { indexLines, type Replay, type SentView, tallyBetween } from './replay.ts';
import type { Tail } from './tail.ts';

/** The requested start of a stream: canonical `from`, or the id of the last received event. */
export interface Start {
  readonly from: string;
  readonly lastEventId?: string | undefined;
  readonly now: string;
}

export interface Opening {
  readonly next: number;
  /** Points to send before that frame. */
  readonly replay?: Replay;
}

/** How long to wait for a replica that lacks points of the last event. */
const PATIENCE_MS = 2000;

/** @returns a stream's start; no replay if the tail still has the last event. @throws the reason of `signal` */
export async function openingOf(tail: Tail, { from, lastEventId, now }: Start, signal: AbortSignal) {
  const kept = lastEventId === undefined ? undefined : tail.after(lastEventId);
  if (kept !== undefined) return { next: kept };
  // the tail may still send points as old as `sent.since`
  const oldest = earlier(microsOf(now) - BigInt(MAX_REPLAY_SECONDS) * 1_000_000n, tail.sent.since);
  if (lastEventId === undefined) {
    const since = earlier(microsOf(from), microsOf(now));
    return since < oldest ? limited(tail, oldest, true, signal) : limited(tail, since, false, signal);
  }
  const last = positionOf(lastEventId);
  // the clock was set back: points stored since then are unknown
  if (last.time - LATE_MICROS > microsOf(now)) return limited(tail, oldest, true, signal);
  const since = earlier(last.time - LATE_MICROS, tail.sent.since);
  if (last.time - LATE_MICROS < oldest) return limited(tail, oldest, true, signal);
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const view = await viewFrom(tail, since, signal);
    if (!view) return limited(tail, since, true, signal);
    const known = tallyBetween(view, last.time - LATE_MICROS, last.time + 1n);
    if (known.count === last.count && known.hash === last.hash) return opening(view, last.time + 1n, false);
    // if the database has much newer points, missing points were deleted, or the id is forged
    const mayComeYet = known.count < last.count && view.position.time <= last.time + LATE_MICROS;
    if (!mayComeYet || performance.now() > deadline) return opening(view, since, true);
    await unlessAborted(tail.nextPoll(), signal);
  }
}

function opening(view: SentView, since: bigint, isRestart: boolean): Opening {
  const restartFrom = isRestart ? instantOfMicros(since) : null;
  return { next: view.next, replay: { view, since, restartFrom } };
}

/** Opens with all points from `since` on. If there are too many, only with the newest, and a restart. */
async function limited(tail: Tail, since: bigint, isRestart: boolean, signal: AbortSignal): Promise<Opening> {
  // event ids need the tally of the seconds before
  const from = since > tail.sent.position.time ? since : since - LATE_MICROS;
  const view = await viewFrom(tail, from, signal);
  if (view) return opening(view, since, isRestart);
  const before = Math.max(MAX_REPLAY_POINTS - tail.sent.position.count, 0);
  const interval = [instantOfMicros(since), instantOfMicros(tail.sent.since)] as const;
  const { db } = tail.options.store;
  const last = interval[0] < interval[1] ? await startOfLast(db, ...interval, before, signal) : undefined;
  const later = last === undefined ? since : microsOf(last) + 1n;
  const fewer = await viewFrom(tail, later, signal, Number.POSITIVE_INFINITY);
  if (!fewer) throw new Error('There is always a view of all points');
  return opening(fewer, later, true);
}

/** @returns undefined if there are more than `most` points. Streams that begin together share the view. */
function viewFrom(tail: Tail, time: bigint, signal: AbortSignal, most = MAX_REPLAY_POINTS) {
  const from = later(time, FIRST_MICROS);
  return tail.views.get({
    key: `${from} ${most}`,
    answer: (ending) => readView(tail, from, most, ending),
    signal,
  });
}

async function readView(
  tail: Tail,
  from: bigint,
  most: number,
  signal: AbortSignal,
): Promise<SentView | undefined> {
  const { next } = tail;
  const { since, position } = tail.sent;
  const recent = tail.sent.linesFrom(from);
  const before = from < since ? await readBefore(tail, from, since, most, signal) : NONE;
  const count = before.count + recent.length;
  if (count > most) return undefined;
  const lines = await indexLines([before.lines, ...recent].join(''), count, signal);
  return { ...lines, position, next };
}

const NONE = { lines: '', count: 0 };

function readBefore({ options }: Tail, from: bigint, to: bigint, most: number, signal: AbortSignal) {
  const limit = Math.min(most + 1, 2 ** 31);
  return readTail(options.store.db, instantOfMicros(from), instantOfMicros(to), limit, signal);
}
