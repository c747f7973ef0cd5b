// events.loud: the points above a level, page by page.
import { LoudInput, LoudOutput } from '../contract/loud-points.ts';
import { Position } from '../points/page.ts';
import { loudPoints } from '../queries/points/loud-points.ts';
import { readPage, writeCursor } from './interval-and-cursor.ts';
import { LIGHT_POINTS, operation } from './operation.ts';

export const loud = operation({
  name: 'events.loud',
  kind: 'points',
  summary: 'The points above a level',
  description:
    'Points strictly above the threshold, newest first, page by page: while next_cursor is not null, pass it as cursor to get the next page.',
  input: LoudInput,
  output: LoudOutput,
  hasLines: true,
  cache: 'revalidated',
  isHeavy: ({ limit }) => limit > LIGHT_POINTS,
  async answer(context, input) {
    const { threshold, limit } = input;
    const { now, pageType } = context;
    const { page, position } = readPage('events.loud', threshold, input, now, Position);
    const { points, next } = await loudPoints(
      context,
      page.interval,
      threshold,
      limit,
      now,
      position,
      pageType,
    );
    return {
      kind: 'points',
      value: { threshold, ...page.interval, points, next_cursor: writeCursor(page, next) },
    };
  },
});
