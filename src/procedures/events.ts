// events.*: validate, ask one query, answer.
import type { z } from 'zod';
import { LoudInput, LoudOutput } from '../contract/events.ts';
import { Position } from '../points/page.ts';
import { loudPoints } from '../queries/loud-points.ts';
import { coalesced } from './coalesce.ts';
import { readQuestion, writeCursor } from './interval-and-cursor.ts';
import { declared, operation, procedure, router } from './trpc.ts';

export const events = router({
  loud: procedure
    .meta(
      operation({
        path: '/events/loud',
        tag: 'events',
        summary: 'The points above a level',
        description:
          'Points strictly above the threshold, newest first, page by page: while next_cursor is not null, pass it as cursor to get the next page.',
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
