// events.*: validate, ask one query, answer.
import type { Point } from '../contract/audio.ts';
import { LoudInput, LoudOutput } from '../contract/events.ts';
import { pointsJson } from '../points/points.ts';
import { loudPoints } from '../queries/loud-points.ts';
import { shared } from './coalesce.ts';
import { readQuestion, writeCursor } from './cursor.ts';
import { unparsed } from './json-text.ts';
import { declared, operation, procedure, router } from './trpc.ts';

export const events = router({
  loud: procedure
    .meta(
      operation(
        '/events/loud',
        'events',
        'The points above a level',
        'Points strictly above the threshold, newest first, page by page: while next_cursor is not null, pass it as cursor to get the next page.',
      ),
    )
    .input(LoudInput)
    .output(declared(LoudOutput))
    .query(
      shared(async ({ ctx, input }) => {
        const { threshold, limit } = input;
        const { question, position } = readQuestion('events.loud', threshold, input, ctx.now);
        const { from, to } = question.interval;
        const { lines, next } = await loudPoints(ctx.db, { from, to }, threshold, limit, ctx.now, position);
        const points = unparsed<Point[]>(pointsJson, lines);
        return { threshold, from, to, points, next_cursor: writeCursor(question, next) };
      }),
    ),
});
