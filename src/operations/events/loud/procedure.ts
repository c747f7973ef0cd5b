// events.loud: the points above a level, in pages.
import { Levels } from '../../../contract/periods.ts';
import { addLevels } from '../../../contract/shown-scale.ts';
import { Position } from '../../../points/page.ts';
import { readPageRequest, writeCursor } from '../../interval-and-cursor.ts';
import { shownScale, storedLevel } from '../../on-scale.ts';
import { byLimit, documented, pagedOperation } from '../../trpc.ts';
import { DEFAULT_THRESHOLD_DB } from '../list/contract.ts';
import { LoudInput, LoudOutput } from './contract.ts';
import { loudPoints } from './query.ts';

export const eventsLoud = pagedOperation(
  '/events/loud',
  'The points above a level',
  'Points strictly above the threshold, newest first, in pages. While next_cursor is not null, pass it as `cursor` to get the next page.',
  { cache: 'revalidated' },
)
  .input(LoudInput)
  .output(documented(LoudOutput))
  .use(byLimit)
  .query(async ({ ctx, input }) => {
    const { levels, limit } = input;
    const parameters = [Levels.options.indexOf(levels), input.threshold ?? null];
    const { page, position } = readPageRequest('events.loud', parameters, input, ctx.now, Position);
    const { interval } = page;
    const { offset_db, ...shown } = await shownScale(ctx, levels, interval);
    const given = input.threshold;
    const stored = given === undefined ? DEFAULT_THRESHOLD_DB : storedLevel('threshold', given, offset_db);
    const { points, history, next } = await loudPoints(
      ctx,
      interval,
      stored,
      limit,
      ctx.now,
      position,
      offset_db,
    );
    const threshold = input.threshold ?? addLevels(stored, offset_db);
    return { threshold, ...interval, ...history, ...shown, points, next_cursor: writeCursor(page, next) };
  });
