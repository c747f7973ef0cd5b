// events.list: noise events, page by page.
import { z } from 'zod';
import { Instant } from '../contract/instant-schema.ts';
import { NoiseEventsInput, NoiseEventsOutput } from '../contract/noise-events.ts';
import { SHORTER_INTERVAL } from '../contract/parameter-messages.ts';
import { noiseEvents } from '../queries/events/noise-events.ts';
import { SEARCH_LIMITS } from '../queries/events/search-runs-back.ts';
import { spacing } from '../queries/points/spacing.ts';
import { readPage, writeCursor } from './interval-and-cursor.ts';
import { documented, get } from './meta.ts';
import { onScale } from './on-scale.ts';
import { askedCriteria, refuseTooMany } from './read-criteria.ts';
import { searchEvents } from './search-events.ts';
import { heavy, pageProcedure } from './trpc.ts';

/** Where a page of events starts, and the spacing that the first page found: later pages tell the same. */
const Before = z.object({ time: Instant, spacing_seconds: z.number().positive().max(4e11).nullable() });

export const list = pageProcedure
  .meta({
    openapi: get(
      '/events/list',
      'Noise events',
      'Noise events as sound level meters find them, with their exposure levels, newest first. An event is a run of points above threshold - hysteresis, neighbours at most hold_seconds apart (or, by default, twice the spacing of their own time), at least one above the threshold; after it the level is not above threshold - hysteresis for longer than that. It starts at its first point above the threshold. Page by page: while next_cursor is not null, pass it as cursor to get the next page.',
    ),
    cache: 'revalidated',
    rows: 'events',
  })
  .input(NoiseEventsInput)
  .output(documented(NoiseEventsOutput))
  .use(heavy)
  .use(onScale)
  .query(async ({ ctx, input }) => {
    const { now } = ctx;
    const { limit } = input;
    const key = [...askedCriteria(input), Number(input.exclusions === 'ignore')];
    const { page, position } = readPage('events.list', key, input, now, Before);
    const { interval } = page;
    const usualSpacing = async () => (position ? position.spacing_seconds : spacing(ctx, interval.to, now));
    return searchEvents(ctx, input, interval, usualSpacing, async (store, criteria) => {
      const { events, next } = await noiseEvents(store, {
        interval,
        criteria,
        limit,
        now,
        before: position?.time,
      }).catch(refuseTooMany(criteria, SEARCH_LIMITS, `${SHORTER_INTERVAL} or limit smaller`));
      const cursor = next === null ? null : { time: next, spacing_seconds: criteria.spacing_seconds };
      return { events, next_cursor: writeCursor(page, cursor) };
    });
  });
