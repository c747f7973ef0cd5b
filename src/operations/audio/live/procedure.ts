// audio.live: every new point as it arrives, as a stream of events.
import type { z } from 'zod';
import { aheadOf, microsOf, nextInstant } from '../../../contract/instant.ts';
import { later } from '../../../contract/ranges.ts';
import type { Context } from '../../context.ts';
import { eventsOf, holdStream } from '../../event-streams.ts';
import { readInstant } from '../../interval-and-cursor.ts';
import { absoluteScale } from '../../on-scale.ts';
import { LIGHT_SECONDS, operation } from '../../trpc.ts';
import { LATE_SECONDS, LiveEvent, LiveInput, LiveQuery, timeOfEvent } from './contract.ts';
import type { Frame } from './frame.ts';
import type { Start } from './opening.ts';

export const audioLive = operation(
  '/audio/live',
  'Every new point, as it arrives',
  `Server-sent events, as \`curl -N\` prints them

    retry: 1500
    : connected

    data: {"restart_from":null,"points":[{"time":"2026-01-01T00:00:00.123456Z","rms_db":-7.22,"frequency_hz":440,"is_silence":false}],"stale":false}
    id: 2026-01-01T00:00:00.123456Z~100~00f1e2d3c4b5a697

Every event is a LiveEvent and has an id. The service sends a comment every 15 s. It ends a stream after about half an hour, on shutdown, or if the client reads too slowly. An EventSource reconnects by itself and resumes after its last event, on this server or another.`,
  { stream: { query: LiveQuery, event: LiveEvent } },
)
  .input(LiveInput)
  .subscription(async ({ ctx, input }) => eventsOf<LiveEvent>(ctx, await openStream(ctx, input)));

export async function openStream(ctx: Context, { from, lastEventId, levels }: z.output<typeof LiveInput>) {
  const { admission, live, now, server } = ctx;
  const start = { from: readInstant('from', from, now), lastEventId, now };
  const isKept = lastEventId !== undefined && live.canResume(lastEventId);
  const queue = isKept || isShort(start) ? admission.light : admission.heavy;
  const open = () => holdStream(ctx, queue.of(server()), (ending) => live.open(start, ending));
  if (levels === 'stored') return open();
  // the scale may have changed since the last sent event
  const since = lastEventId === undefined ? start.from : nextInstant(timeOfEvent(lastEventId));
  await absoluteScale(ctx, { from: since ?? null, to: later(since ?? now, aheadOf(now)) });
  return absoluteFrames(ctx, await open());
}

/** Whether a stream replays only a short time before it sends new points. */
function isShort({ from, lastEventId, now }: Start): boolean {
  const secondsSince = (time: string) => Number(microsOf(now) - microsOf(time)) / 1e6;
  if (lastEventId === undefined) return secondsSince(from) <= LIGHT_SECONDS;
  // late points may have arrived since; after an event dated ahead, everything is replayed
  const seconds = secondsSince(timeOfEvent(lastEventId)) + LATE_SECONDS;
  return seconds >= 0 && seconds <= LIGHT_SECONDS;
}

/** Converted frames. Many listeners share each frame, so it is converted once. */
const absolute = new WeakMap<Frame, Promise<Frame>>();

/**
 * Yields the same frames with absolute levels. Ends at an event whose points have no scale or two scales. A listener
 * that reconnects gets the reason, and opens a new stream from the start of the new scale.
 */
export async function* absoluteFrames(ctx: Context, frames: AsyncIterable<Frame>): AsyncGenerator<Frame> {
  for await (const frame of frames) {
    const made = absolute.get(frame) ?? absoluteFrame(ctx, frame);
    absolute.set(frame, made);
    const shown = await made.catch(() => void absolute.delete(frame)); // the next listener retries
    if (!shown) return;
    yield shown;
  }
}

async function absoluteFrame(ctx: Context, { id, event }: Frame): Promise<Frame> {
  const points = event.points.toJSON();
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return { id, event };
  const interval = { from: first.time, to: nextInstant(last.time) ?? null };
  const { offset_db } = await absoluteScale(ctx, interval);
  return { id, event: { ...event, points: event.points.shift(offset_db) } };
}
