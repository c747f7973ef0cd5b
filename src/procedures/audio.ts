// audio.*: validate, ask one query, answer.
import { LatestInput, LatestOutput, type Point, RangeInput, RangeOutput } from '../contract/audio.ts';
import { pointsJson } from '../points/points.ts';
import { latestPoints } from '../queries/latest-points.ts';
import { rangePoints } from '../queries/range-points.ts';
import { shared } from './coalesce.ts';
import { readQuestion, writeCursor } from './cursor.ts';
import { unparsed } from './json-text.ts';
import { declared, operation, procedure, router } from './trpc.ts';

export const audio = router({
  latest: procedure
    .meta(operation('/audio/latest', 'audio', 'The most recent points', 'Newest first.'))
    .input(LatestInput)
    .output(declared(LatestOutput))
    .query(
      shared(async ({ ctx, input }) => {
        const { lines } = await latestPoints(ctx.db, input, ctx.now);
        return { points: unparsed<Point[]>(pointsJson, lines) };
      }),
    ),

  range: procedure
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
    .query(
      shared(async ({ ctx, input }) => {
        const { question, position } = readQuestion('audio.range', null, input, ctx.now);
        const { from, to } = question.interval;
        const { lines, next } = await rangePoints(ctx.db, { from, to }, input.limit, position);
        const points = unparsed<Point[]>(pointsJson, lines);
        return { from, to, points, next_cursor: writeCursor(question, next) };
      }),
    ),
});
