// events.loud: the points above a level, page by page.
import { LoudInput, LoudOutput } from '../contract/loud-points.ts';
import { Position } from '../points/page.ts';
import { loudPoints } from '../queries/points/loud-points.ts';
import { readPage, writeCursor } from './interval-and-cursor.ts';
import { documented, get, LINES } from './meta.ts';
import { byLimit, pageProcedure } from './trpc.ts';

export const loud = pageProcedure
  .meta({
    openapi: get(
      '/events/loud',
      'The points above a level',
      'Points strictly above the threshold, newest first, page by page: while next_cursor is not null, pass it as cursor to get the next page.',
    ),
    cache: 'revalidated',
    types: LINES,
  })
  .input(LoudInput)
  .output(documented(LoudOutput))
  .use(byLimit)
  .query(async ({ ctx, input }) => {
    const { threshold, limit } = input;
    const { now, pageType } = ctx;
    const { page, position } = readPage('events.loud', threshold, input, now, Position);
    const { points, next } = await loudPoints(ctx, page.interval, threshold, limit, now, position, pageType);
    return { threshold, ...page.interval, points, next_cursor: writeCursor(page, next) };
  });
