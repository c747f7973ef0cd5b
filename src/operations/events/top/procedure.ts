// events.top: the loudest or the longest noise events, in pages.
import { readPageRequest, writeCursor } from '../../interval-and-cursor.ts';
import { onScale } from '../../on-scale.ts';
import { documented, heavy, pagedOperation } from '../../trpc.ts';
import { criteriaKey, searchEvents } from '../read-criteria.ts';
import { Rank, TopEventsInput, TopEventsOutput } from './contract.ts';
import { RankPosition, topEvents } from './query.ts';

export const eventsTop = pagedOperation(
  '/events/top',
  'The loudest or the longest noise events',
  'The noise events that events.list returns, sorted by level or duration. Results come in pages. While next_cursor is not null, pass it as `cursor` to get the next page. Each page ranks all events again, so new or removed events may shift others between pages.',
  { cache: 'revalidated', rows: 'events' },
)
  .input(TopEventsInput)
  .output(documented(TopEventsOutput))
  .use(heavy)
  .use(onScale)
  .query(async ({ ctx, input }) => {
    const { now } = ctx;
    const { by, limit } = input;
    const key = [...criteriaKey(input), Rank.options.indexOf(by), Number(input.exclusions === 'ignore')];
    const { page, position } = readPageRequest('events.top', key, input, now, RankPosition);
    const { interval } = page;
    return searchEvents(ctx, input, interval, async (store, criteria) => {
      const ranking = { by, limit, after: position };
      const { next, ...found } = await topEvents(store, { interval, criteria, now }, ranking);
      return { by, ...found, next_cursor: writeCursor(page, next) };
    });
  });
