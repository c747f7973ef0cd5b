// events.list: noise events, page by page.
import { z } from 'zod';
import { Instant } from '../contract/instant-schema.ts';
import {
  DEFAULT_THRESHOLD_DB,
  MAX_HOLD_SECONDS,
  NoiseEventsInput,
  NoiseEventsOutput,
} from '../contract/noise-events.ts';
import { badParameter } from '../errors.ts';
import { noiseEvents } from '../queries/events/noise-events.ts';
import { MOST_POINTS, MOST_READ, TooManyPoints } from '../queries/events/search-runs-back.ts';
import { scaleOf } from '../queries/periods.ts';
import { spacing } from '../queries/points/spacing.ts';
import { readPage, writeCursor } from './interval-and-cursor.ts';
import { operation } from './operation.ts';

/** Where a page of events starts, and the spacing that the first page found: later pages tell the same. */
const Before = z.object({ time: Instant, spacing_seconds: z.number().positive().max(4e11).nullable() });

export const list = operation({
  name: 'events.list',
  kind: 'json',
  summary: 'Noise events',
  description:
    'Noise events as sound level meters find them, with their exposure levels, newest first. An event is a run of points above threshold - hysteresis, neighbours at most hold_seconds apart (or, by default, twice the spacing of their own time), at least one above the threshold; after it the level is not above threshold - hysteresis for longer than that. It starts at its first point above the threshold. Page by page: while next_cursor is not null, pass it as cursor to get the next page.',
  input: NoiseEventsInput,
  output: NoiseEventsOutput,
  cache: 'revalidated',
  isHeavy: () => true,
  async answer(context, input) {
    const { above_background = null, hysteresis, min_duration_seconds, limit } = input;
    const { now } = context;
    if (above_background !== null && input.threshold !== undefined)
      throw badParameter('above_background', 'must not be given together with threshold');
    const threshold = above_background === null ? (input.threshold ?? DEFAULT_THRESHOLD_DB) : null;
    const asked = [threshold, above_background, hysteresis, input.hold_seconds ?? null, min_duration_seconds];
    const { page, position } = readPage('events.list', asked, input, now, Before);
    const { interval } = page;
    const { spacing_seconds } = position ?? { spacing_seconds: await spacing(context, interval.to, now) };
    const criteria = {
      threshold,
      above_background,
      hysteresis,
      hold_seconds: input.hold_seconds ?? null,
      min_duration_seconds,
      spacing_seconds,
    };
    const found = noiseEvents(context, {
      interval,
      criteria,
      limit,
      now,
      before: position?.time,
    }).catch((error) => {
      if (!(error instanceof TooManyPoints)) throw error;
      throw badParameter(
        threshold === null ? 'above_background' : 'threshold',
        `must be higher, or the interval shorter or limit smaller: for this page more than ${MOST_POINTS} points above threshold - hysteresis, or ${MOST_READ} of minutes with such points, would have to be looked at`,
      );
    });
    const { events, next } = await found;
    const scale = await scaleOf(context.db, interval);
    const hold_seconds =
      input.hold_seconds ?? Math.min(Math.max(1, 2 * (spacing_seconds ?? 0)), MAX_HOLD_SECONDS);
    const cursor = next === null ? null : { time: next, spacing_seconds };
    const next_cursor = writeCursor(page, cursor);
    return {
      kind: 'json',
      value: { ...criteria, hold_seconds, ...interval, scale, events, next_cursor },
    };
  },
});
