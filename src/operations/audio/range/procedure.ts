// audio.range: the points of an interval, in pages.
import { Levels } from '../../../contract/periods.ts';
import { Position } from '../../../points/page.ts';
import { readPageRequest, writeCursor } from '../../interval-and-cursor.ts';
import { shownScale } from '../../on-scale.ts';
import { byLimit, documented, pagedOperation } from '../../trpc.ts';
import { RangeInput, RangeOutput } from './contract.ts';
import { rangePoints } from './query.ts';

export const audioRange = pagedOperation(
  '/audio/range',
  'The points of an interval',
  'Oldest first, in pages. While next_cursor is not null, pass it as `cursor` to get the next page.',
  { cache: 'revalidated' },
)
  .input(RangeInput)
  .output(documented(RangeOutput))
  .use(byLimit)
  .query(async ({ ctx, input }) => {
    const { db, now } = ctx;
    const { levels, limit } = input;
    const { page, position } = readPageRequest(
      'audio.range',
      Levels.options.indexOf(levels),
      input,
      now,
      Position,
    );
    const { interval } = page;
    const { offset_db, ...shown } = await shownScale(ctx, levels, interval);
    const { points, history, next } = await rangePoints(db, interval, limit, position, offset_db);
    return { ...interval, ...history, ...shown, points, next_cursor: writeCursor(page, next) };
  });
