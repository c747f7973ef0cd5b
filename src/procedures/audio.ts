// audio.*: validate, ask one query, answer.
import { LatestInput, LatestOutput, RangeInput, RangeOutput } from '../contract/audio.ts';
import { latestPoints } from '../queries/latest-points.ts';
import { rangePoints } from '../queries/range-points.ts';
import { readQuestion, writeCursor } from './cursor.ts';
import { declared, operation, router, sharedProcedure } from './trpc.ts';

export const audio = router({
  latest: sharedProcedure
    .meta(operation('/audio/latest', 'audio', 'The most recent points', 'Newest first.'))
    .input(LatestInput)
    .output(declared(LatestOutput))
    .query(async ({ ctx, input }) => ({ points: await latestPoints(ctx.db, input, ctx.now) })),

  range: sharedProcedure
    .meta(
      operation(
        '/audio/range',
        'audio',
        'The points of an interval',
        'Oldest first, page by page: while next_cursor is not null, pass it as cursor to get the next page.',
      ),
    )
    .input(RangeInput)
    .output(declared(RangeOutput))
    .query(async ({ ctx, input }) => {
      const { question, position } = readQuestion('audio.range', null, input, ctx.now);
      const { from, to } = question.interval;
      const { points, next } = await rangePoints(ctx.db, { from, to }, input.limit, position);
      return { from, to, points, next_cursor: writeCursor(question, next) };
    }),
});
