// Event streams: limits their lifetime, and gives tRPC clients the same frames as REST clients.
import { type TrackedEnvelope, tracked } from '@trpc/server';
import type { EventStream } from '../live/frame.ts';
import type { FairQueue } from '../load/fair-queue.ts';
import type { Call, Context } from './context.ts';

/** The lifetime of a stream in milliseconds. Its random spread keeps streams from ending all at once. */
const LIFE_MS = 1_800_000;
const LIFE_SPREAD = 0.1;

/** Opens a stream once its queue has a slot. Ends it after its lifetime, on shutdown, or if its listener is too slow. */
export async function holdStream<Stream extends EventStream>(
  { admission, caller, signal }: Context,
  queue: FairQueue,
  open: () => Promise<Stream>,
): Promise<Stream> {
  const leaveStreams = await admission.streams.enter(caller, signal);
  signal.addEventListener('abort', leaveStreams, { once: true });
  const leaveQueue = await queue.enter(caller, signal);
  try {
    const stream = await open();
    const end = () => stream.close();
    const life = setTimeout(end, LIFE_MS * (1 + LIFE_SPREAD * (2 * Math.random() - 1)));
    const leave = () => {
      clearTimeout(life);
      end();
    };
    signal.addEventListener('abort', leave, { once: true });
    return stream;
  } finally {
    leaveQueue();
  }
}

/** The events of a stream, for a subscription. */
export function eventsOf<Event>(
  ctx: Context & { call: Call },
  open: () => Promise<EventStream>,
): AsyncIterable<TrackedEnvelope<Event>> {
  return handled(parsed(ctx, open));
}

async function* parsed<Event>(
  { call }: { call: Call },
  open: () => Promise<EventStream>,
): AsyncGenerator<TrackedEnvelope<Event>, void> {
  for await (const { id, bytes, points } of await open()) {
    call.points += points;
    yield tracked(id, eventOf(bytes));
  }
  // tRPC clients would not reconnect after a normal end
  throw new DOMException('The stream has ended; reconnect to continue', 'AbortError');
}

/** Marks failures as handled, because tRPC does not await the next event while its reader is slow. */
function handled<Value>(values: AsyncGenerator<Value, void>): AsyncIterable<Value> {
  const next = () => {
    const result = values.next();
    result.catch(() => {});
    return result;
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: () => values.return() }) };
}

const DATA = /^data: (.*)$/m;

function eventOf<Event>(bytes: Buffer): Event {
  const [, data = ''] = DATA.exec(bytes.toString('latin1')) ?? [];
  return JSON.parse(data);
}
