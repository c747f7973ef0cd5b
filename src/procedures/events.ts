// events.*: validate, ask one query, answer.
import { z } from 'zod';
import { LoudInput, LoudOutput } from '../contract/events.ts';
import { Instant } from '../contract/instant-schema.ts';
import { CSV_TYPE, JSON_TYPE, NDJSON_TYPE } from '../contract/media-types.ts';
import { DEFAULT_THRESHOLD_DB, NoiseEventsInput, NoiseEventsOutput } from '../contract/noise-events.ts';
import { badParameter } from '../errors.ts';
import { coalesced } from '../load/shared-answers.ts';
import { Position } from '../points/page.ts';
import { type NoisePage, noiseEvents } from '../queries/events/noise-events.ts';
import { MOST_POINTS, TooManyPoints } from '../queries/events/runs.ts';
import { loudPoints } from '../queries/points/loud-points.ts';
import { spacing } from '../queries/points/spacing.ts';
import { readQuestion, writeCursor } from './interval-and-cursor.ts';
import { declared, operation, procedure, router } from './trpc.ts';

/** Where a page of events starts, and the spacing that the first page found: its default of the hold stays. */
const Before = z.object({ time: Instant, spacing_seconds: z.number().positive().max(4e11).nullable() });

export const events = router({
  list: procedure
    .meta(
      operation({
        path: '/events/list',
        tag: 'events',
        summary: 'Noise events',
        description:
          'Noise events as sound level meters find them, with their exposure levels, newest first. An event is a run of points above threshold - hysteresis, neighbours at most hold_seconds apart, at least one above the threshold; after it the level is not above threshold - hysteresis for longer than that. It starts at its first point above the threshold. Page by page: while next_cursor is not null, pass it as cursor to get the next page.',
        cache: 'revalidated',
        points: () => Number.POSITIVE_INFINITY,
      }),
    )
    .input(NoiseEventsInput)
    .output(declared(NoiseEventsOutput))
    .query(
      coalesced(async ({ ctx, input }) => {
        const { above_background = null, hysteresis, min_duration_seconds, limit } = input;
        if (above_background !== null && input.threshold !== undefined)
          throw badParameter('above_background', 'must not be given together with threshold');
        const threshold = above_background === null ? (input.threshold ?? DEFAULT_THRESHOLD_DB) : null;
        const asked = [
          threshold,
          above_background,
          hysteresis,
          input.hold_seconds ?? null,
          min_duration_seconds,
        ];
        const { question, position } = readQuestion('events.list', asked, input, ctx.now, Before);
        const { interval } = question;
        const { spacing_seconds } = position ?? {
          spacing_seconds: await spacing(ctx, interval.to, ctx.now),
        };
        const criteria = {
          threshold,
          above_background,
          hysteresis,
          hold_seconds: input.hold_seconds ?? Math.max(1, 2 * (spacing_seconds ?? 0)),
          min_duration_seconds,
          spacing_seconds,
        };
        const { events, next } = await noiseEvents(ctx, {
          interval,
          criteria,
          limit,
          now: ctx.now,
          before: position?.time,
        }).catch(refuseTooMany(threshold === null ? 'above_background' : 'threshold'));
        const cursor = next === null ? null : { time: next, spacing_seconds };
        return { ...criteria, ...interval, events, next_cursor: writeCursor(question, cursor) };
      }),
    ),

  loud: procedure
    .meta(
      operation({
        path: '/events/loud',
        tag: 'events',
        summary: 'The points above a level',
        description:
          'Points strictly above the threshold, newest first, page by page: while next_cursor is not null, pass it as cursor to get the next page.',
        types: [JSON_TYPE, CSV_TYPE, NDJSON_TYPE],
        cache: 'revalidated',
        points: ({ limit }: z.output<typeof LoudInput>) => limit,
      }),
    )
    .input(LoudInput)
    .output(declared(LoudOutput))
    .query(
      coalesced(async ({ ctx, input }) => {
        const { threshold, limit } = input;
        const { question, position } = readQuestion('events.loud', threshold, input, ctx.now, Position);
        const { from, to } = question.interval;
        const { points, next } = await loudPoints(ctx, { from, to }, threshold, limit, ctx.now, position);
        return { threshold, from, to, points, next_cursor: writeCursor(question, next) };
      }),
    ),
});

/** @returns what a page does where the question is too large for it */
function refuseTooMany(parameter: string): (error: unknown) => NoisePage {
  return (error) => {
    if (!(error instanceof TooManyPoints)) throw error;
    throw badParameter(
      parameter,
      `must be higher, or the interval shorter or limit smaller: for this page more than ${MOST_POINTS} points above threshold - hysteresis would have to be looked at`,
    );
  };
}
