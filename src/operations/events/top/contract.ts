// events.top: input and output.
import { z } from 'zod';
import { EventExclusions } from '../../../contract/exclusions.ts';
import { count } from '../../../contract/fields.ts';
import { Cursor, fromTo, limitInput, NextCursor, nameIn, parameters } from '../../../contract/parameters.ts';
import { EXAMPLE_MEASURED_INTERVAL, measuredInterval } from '../../../contract/statistics.ts';
import {
  EXAMPLE_CRITERIA,
  EXAMPLE_EVENT,
  eventCriteria,
  NoiseEvent,
  shownCriteria,
} from '../list/contract.ts';

export const Rank = nameIn({ level: 'the highest peak_db first', duration: 'the longest first' });
export type Rank = z.infer<typeof Rank>;

export const TopEventsInput = parameters({
  ...eventCriteria,
  ...fromTo,
  by: Rank.default('level').meta({
    description:
      'The ranking: the highest peak_db or the longest duration_seconds first. Of equal events, the earlier is first',
    examples: ['level'],
  }),
  limit: limitInput(100, 10, 'Most events per page'),
  cursor: Cursor,
  exclusions: EventExclusions,
});

export const TopEventsOutput = z
  .object({
    ...shownCriteria,
    ...measuredInterval,
    by: Rank.meta({ description: 'The ranking of the events' }),
    event_count: count('Number of all events in the interval, as events.list returns them'),
    events: z.array(NoiseEvent).meta({ description: 'The loudest or the longest first' }),
    next_cursor: NextCursor,
  })
  .meta({
    id: 'TopEvents',
    description: 'Noise events, the loudest or the longest first',
    examples: [
      {
        ...EXAMPLE_CRITERIA,
        ...EXAMPLE_MEASURED_INTERVAL,
        by: 'level',
        event_count: 1,
        events: [EXAMPLE_EVENT],
        next_cursor: null,
      },
    ],
  });
