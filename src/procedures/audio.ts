// audio.*: validate, ask one query, answer.
import type { TrackedEnvelope } from '@trpc/server';
import type { z } from 'zod';
import { LatestInput, LatestOutput, RangeInput, RangeOutput } from '../contract/audio.ts';
import { LiveEvent, LiveInput } from '../contract/live.ts';
import { CSV_TYPE, EVENT_STREAM, JSON_TYPE, NDJSON_TYPE } from '../contract/media-types.ts';
import { coalesced } from '../load/shared-answers.ts';
import { Position } from '../points/page.ts';
import { latestPoints } from '../queries/points/latest-points.ts';
import { rangePoints } from '../queries/points/range-points.ts';
import { readInstant, readQuestion, writeCursor } from './interval-and-cursor.ts';
import { declared, operation, procedure, router } from './trpc.ts';

const live = procedure
  .meta(
    operation({
      path: '/audio/live',
      tag: 'audio',
      summary: 'Every new point, as it comes',
      description: `Server-sent events: as \`curl -N\` prints them

    retry: 1500
    event: connected
    data: {"reconnectAfterInactivityMs":45000}

    data: {"restart_from":null,"points":[{"time":"2026-01-01T00:00:00.123456Z","rms_db":-7.22,"frequency_hz":440,"is_silence":false}],"stale":false}
    id: 2026-01-01T00:00:00.123456Z~100~00f1e2d3c4b5a697

An event without a name holds points, as a LiveEvent, and has an id. \`ping\` comes every 15 s. A stream ends after half an hour or so, when the service stops, and where its reader is too slow: an EventSource comes back by itself, and goes on where it was, on this server or another.`,
      types: [EVENT_STREAM],
      isSubscription: true,
      // who comes back does not wait: a refusal would be the end for an EventSource
      points: ({ from, lastEventId }: z.output<typeof LiveInput>) =>
        from === 'now' || lastEventId !== undefined ? 0 : Number.POSITIVE_INFINITY,
    }),
  )
  .input(LiveInput);

/** As a query, for the document, whose generator refuses subscriptions. */
export const liveAsQuery = live.output(declared(LiveEvent)).query((): never => {
  throw new Error('audio.live is a subscription');
});

export const audio = router({
  latest: procedure
    .meta(
      operation({
        path: '/audio/latest',
        tag: 'audio',
        summary: 'The most recent points',
        description: 'Newest first.',
        cache: 'momentary',
        points: ({ limit }: z.output<typeof LatestInput>) => limit,
      }),
    )
    .input(LatestInput)
    .output(declared(LatestOutput))
    .query(coalesced(async ({ ctx, input }) => ({ points: await latestPoints(ctx, input, ctx.now) }))),

  range: procedure
    .meta(
      operation({
        path: '/audio/range',
        tag: 'audio',
        summary: 'The points of an interval',
        description:
          'Oldest first, page by page: while next_cursor is not null, pass it as cursor to get the next page.',
        types: [JSON_TYPE, CSV_TYPE, NDJSON_TYPE],
        cache: 'revalidated',
        points: ({ limit }: z.output<typeof RangeInput>) => limit,
      }),
    )
    .input(RangeInput)
    .output(declared(RangeOutput))
    .query(
      coalesced(async ({ ctx, input }) => {
        const { question, position } = readQuestion('audio.range', null, input, ctx.now, Position);
        const { interval } = question;
        const { points, next } = await rangePoints(ctx.db, interval, input.limit, position);
        return { ...interval, points, next_cursor: writeCursor(question, next) };
      }),
    ),

  live: live.subscription(async ({ ctx, path, input, signal }) => {
    const from = readInstant('from', input.from, ctx.now);
    const leave = await ctx.enter(path, input, signal);
    const { lastEventId } = input;
    const stream = await ctx.live.open({ from, lastEventId, now: ctx.now }, signal).finally(leave);
    // frames hold what serialises to that
    return stream as AsyncIterable<unknown> as AsyncIterable<TrackedEnvelope<LiveEvent>>;
  }),
});
