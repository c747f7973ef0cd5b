// audio.*: validate, ask one query, answer.
import type { z } from 'zod';
import { LatestInput, LatestOutput, RangeInput, RangeOutput } from '../contract/audio.ts';
import { Position } from '../points/page.ts';
import { latestPoints } from '../queries/latest-points.ts';
import { rangePoints } from '../queries/range-points.ts';
import { coalesced } from './coalesce.ts';
import { readQuestion, writeCursor } from './interval-and-cursor.ts';
import { declared, operation, procedure, router } from './trpc.ts';

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
});
