// Event streams: limits their lifetime, and hands their events to both transports.
import { type TrackedEnvelope, tracked } from '@trpc/server';
import type { FairQueue } from '../load/fair-queue.ts';
import { type Given, Points } from '../points/points.ts';
import { whenAborted } from '../signal.ts';
import type { Frame } from './audio/live/frame.ts';
import type { Call, Context } from './context.ts';

/** The lifetime of a stream in milliseconds. Its random spread keeps streams from ending all at once. */
const LIFE_MS = 1_800_000;
const LIFE_SPREAD = 0.1;

/** Opens a stream once its queue has a slot. @param open its signal aborts after its lifetime, or when it is left */
export async function holdStream<Event extends object>(
  { admission, caller, signal, transport }: Context,
  queue: FairQueue,
  open: (ending: AbortSignal) => Promise<AsyncIterable<Frame<Event>>>,
): Promise<AsyncIterable<Frame<Event>>> {
  await admission.streams.hold(caller, signal);
  const leaveQueue = await queue.enter(caller, signal);
  const ending = new AbortController();
  const lifeMs = LIFE_MS * (1 + LIFE_SPREAD * (2 * Math.random() - 1));
  const life = transport === 'process' ? undefined : setTimeout(() => ending.abort(), lifeMs);
  const leave = () => {
    clearTimeout(life);
    ending.abort(signal.reason);
  };
  whenAborted(signal, leave);
  return open(ending.signal).finally(() => leaveQueue());
}

/** The events of a stream, for a subscription. Typed clients get them as JSON. */
export function eventsOf<Event extends object>(
  ctx: Context & { call: Call },
  frames: AsyncIterable<Frame<Given<Event>>>,
): AsyncIterable<TrackedEnvelope<Event>>;
export function eventsOf(
  { call, transport }: Context & { call: Call },
  frames: AsyncIterable<Frame<object>>,
): AsyncIterable<TrackedEnvelope<object>> {
  const source = frames[Symbol.asyncIterator]();
  const give = ({ value }: IteratorResult<Frame<object>, void>) => {
    if (value) {
      const { points }: { points?: unknown } = Object(value.event);
      if (points instanceof Points) call.points += points.count;
      return { value: tracked(value.id, value.event) };
    }
    // tRPC clients would not reconnect after a normal end
    if (transport === 'rpc')
      throw new DOMException('The stream has ended; reconnect to continue', 'AbortError');
    return { done: true, value: undefined } as const;
  };
  const next = () => {
    const result = source.next().then(give);
    if (transport === 'rpc') result.catch(() => {}); // tRPC does not await the next event while its reader is slow
    return result;
  };
  const end = async () => {
    await source.return?.();
    return { done: true, value: undefined } as const;
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: end }) };
}
