// events.list: noise events, in pages.
import { z } from 'zod';
import { Instant, SHORTER_INTERVAL } from '../../../contract/parameters.ts';
import type { Store } from '../../../rollups/store.ts';
import { readPageRequest, writeCursor } from '../../interval-and-cursor.ts';
import { onScale } from '../../on-scale.ts';
import { documented, heavy, pagedOperation } from '../../trpc.ts';
import type { Criteria } from '../event-criteria.ts';
import { criteriaKey, searchEvents } from '../read-criteria.ts';
import { SEARCH_LIMITS } from '../search-runs-back.ts';
import { NoiseEventsInput, NoiseEventsOutput } from './contract.ts';
import { noiseEvents } from './query.ts';

/** The start of a page of events, and the spacing on the first page. Later pages repeat that spacing. */
const Before = z.object({ time: Instant, spacing_seconds: z.number().positive().max(4e11).nullable() });

export const eventsList = pagedOperation(
  '/events/list',
  'Noise events',
  'Noise events as sound level meters find them, with their exposure levels, newest first. An event is a run of points above threshold - hysteresis, with at least one point above the threshold. Neighbouring points are at most hold_seconds apart; a longer pause ends the event. An event starts at its first point above the threshold. Results come in pages. While next_cursor is not null, pass it as `cursor` to get the next page.',
  { cache: 'revalidated', rows: 'events' },
)
  .input(NoiseEventsInput)
  .output(documented(NoiseEventsOutput))
  .use(heavy)
  .use(onScale)
  .query(async ({ ctx, input }) => {
    const { now } = ctx;
    const { limit } = input;
    const key = [...criteriaKey(input), Number(input.exclusions === 'ignore')];
    const { page, position } = readPageRequest('events.list', key, input, now, Before);
    const { interval } = page;
    const find = async (store: Store, criteria: Criteria) => {
      const query = { interval, criteria, limit, now, before: position?.time };
      const { events, next } = await noiseEvents(store, query);
      const cursor = next === null ? null : { time: next, spacing_seconds: criteria.spacing_seconds };
      return { events, next_cursor: writeCursor(page, cursor) };
    };
    return searchEvents(ctx, input, interval, find, {
      limits: SEARCH_LIMITS,
      instead: `${SHORTER_INTERVAL}, or \`limit\` smaller`,
      usualSpacing: position && (async () => position.spacing_seconds),
    });
  });
