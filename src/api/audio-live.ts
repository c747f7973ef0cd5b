// audio.live: every new point as it comes, as a stream of events.
import type { z } from 'zod';
import { type LiveEvent, LiveInput } from '../contract/live.ts';
import { EVENT_STREAM } from '../contract/media-types.ts';
import type { LiveStream } from '../live/live.ts';
import type { Context } from './context.ts';
import { eventsOf, holdStream } from './event-streams.ts';
import { readInstant } from './interval-and-cursor.ts';
import { get } from './meta.ts';
import { procedure } from './trpc.ts';

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
  .subscription(({ ctx, input }) => eventsOf<LiveEvent>(ctx, () => openStream(ctx, input)));

/** Opens the stream of a listener. */
export function openStream(
  ctx: Context,
  { from, lastEventId }: z.output<typeof LiveInput>,
): Promise<LiveStream> {
  const { admission, live, now, signal } = ctx;
  // a replay may be long
  const isReplay = lastEventId === undefined ? from !== 'now' : !live.canResume(lastEventId);
  const queue = isReplay ? admission.heavy : admission.light;
  return holdStream(ctx, queue, () =>
    live.open({ from: readInstant('from', from, now), lastEventId, now }, signal),
  );
}
