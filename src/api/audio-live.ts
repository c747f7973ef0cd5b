// audio.live: every new point as it comes, as a stream of events.
import { type TrackedEnvelope, tracked } from '@trpc/server';
import type { z } from 'zod';
import { type LiveEvent, LiveInput } from '../contract/live.ts';
import { EVENT_STREAM } from '../contract/media-types.ts';
import type { LiveStream } from '../live/live.ts';
import type { Call, Context } from './context.ts';
import { readInstant } from './interval-and-cursor.ts';
import { get } from './meta.ts';
import { procedure } from './trpc.ts';

/** How long a stream lasts, in milliseconds, and by what share more or less: they should not all end at once. */
const LIFE_MS = 1_800_000;
const LIFE_SPREAD = 0.1;

export const live = procedure
  .meta({
    openapi: get(
      '/audio/live',
      'Every new point, as it comes',
      `Server-sent events: as \`curl -N\` prints them

    retry: 1500
    : connected

    data: {"restart_from":null,"points":[{"time":"2026-01-01T00:00:00.123456Z","rms_db":-7.22,"frequency_hz":440,"is_silence":false}],"stale":false}
    id: 2026-01-01T00:00:00.123456Z~100~00f1e2d3c4b5a697

Every event holds points, as a LiveEvent, and has an id. A comment comes every 15 s. The service ends a stream after about half an hour, when it stops, or if the client reads too slowly. An EventSource reconnects by itself and resumes after its last event, on this server or another.`,
    ),
    types: [EVENT_STREAM],
  })
  .input(LiveInput)
  .subscription(async ({ ctx, input }) => handled(eventsFor(ctx, input)));

async function* eventsFor(
  ctx: Context & { call: Call },
  input: z.output<typeof LiveInput>,
): AsyncGenerator<TrackedEnvelope<LiveEvent>, void> {
  for await (const { id, bytes, points } of await openStream(ctx, input)) {
    ctx.call.points += points;
    yield tracked(id, eventOf(bytes));
  }
  // if it returned, tRPC's clients would not come back
  throw new DOMException('The stream ends; it goes on in another', 'AbortError');
}

/** While its reader is slow, tRPC does not look at the next event: that it fails is not unhandled then. */
function handled<Value>(values: AsyncGenerator<Value, void>): AsyncIterable<Value> {
  const next = () => {
    const result = values.next();
    result.catch(() => {});
    return result;
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: () => values.return() }) };
}

/** Opens the stream of a listener: it ends after its life, when the service stops, or if the listener falls behind. */
export async function openStream(ctx: Context, input: z.output<typeof LiveInput>): Promise<LiveStream> {
  const { admission, caller, live, now, signal } = ctx;
  const { from, lastEventId } = input;
  // a replay may be long
  const isReplay = lastEventId === undefined ? from !== 'now' : !live.canResume(lastEventId);
  const queue = isReplay ? admission.heavy : admission.light;
  const leaveStreams = await admission.streams.enter(caller, signal);
  signal.addEventListener('abort', leaveStreams, { once: true });
  const leaveQueue = await queue.enter(caller, signal);
  try {
    const stream = await live.open({ from: readInstant('from', from, now), lastEventId, now }, signal);
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

const DATA = /^data: (.*)$/m;

function eventOf(bytes: Buffer): LiveEvent {
  const [, data = ''] = DATA.exec(bytes.toString('latin1')) ?? [];
  return JSON.parse(data);
}
