// events.list: what goes in, what comes out.
import { z } from 'zod';
import { EventExclusions, excluded_seconds } from './exclusions.ts';
import { EXAMPLE_INTERVAL, Instant } from './instant-schema.ts';
import { must } from './parameter-messages.ts';
import { Cursor, From, NextCursor, numberFrom, parameters, To, wholeNumber } from './parameters.ts';
import { EXAMPLE_SCALE, LevelScale, levelsInput } from './periods.ts';
import { leqLow, level, outOfRange } from './statistics.ts';

/** The threshold if neither `threshold` nor `above_background` is given. */
export const DEFAULT_THRESHOLD_DB = -10;

/** The longest `hold_seconds`. */
export const MAX_HOLD_SECONDS = 3600;

/** The levels that a threshold may be. */
export const THRESHOLD_RANGE = 'from the stored -50 to 0, or on the absolute scale with levels=absolute';

const STORED_THRESHOLD = must('a number of dB from -50 to 0');

/** A level that points are compared with, on the scale of `levels`. The procedure checks that a point can have it. */
export function threshold(description: string) {
  return z.number(STORED_THRESHOLD).meta({ description, examples: [DEFAULT_THRESHOLD_DB] });
}

/** What makes an event. */
export const eventCriteria = {
  levels: levelsInput,
  threshold: threshold(
    `An event has a point strictly above this level in dB, ${THRESHOLD_RANGE}; the stored ${DEFAULT_THRESHOLD_DB} if above_background is not given either`,
  ).optional(),
  above_background: numberFrom(3, 60, 'dB')
    .meta({
      description:
        'In place of threshold: each point is measured against the background, L90 of the complete half hour (UTC) before its own, plus so many dB. After a half hour without levels no point is above',
    })
    .optional(),
  hysteresis: numberFrom(0, 20, 'dB')
    .default(0)
    .meta({
      description:
        'How far below the threshold a level may fall, in dB, before the event is over: it goes on above threshold - hysteresis',
      examples: [3],
    }),
  hold_seconds: numberFrom(0, MAX_HOLD_SECONDS, 'seconds')
    .meta({
      description:
        'How far apart neighbouring points above threshold - hysteresis may be within an event, in seconds (as the continuation period of sound level meters); by default the larger of 1 and twice the spacing of the points at the time of the earlier one, up to 3600. That spacing is the larger of those at the start and at the end of its ten minutes (UTC): the median among the last 21 times before then. With less than the spacing every point is an event',
      examples: [5],
    })
    .optional(),
  min_duration_seconds: numberFrom(0, 86_400, 'seconds')
    .default(0)
    .meta({ description: 'Leaves out events that are shorter, in seconds', examples: [1] }),
};

export const NoiseEventsInput = parameters({
  ...eventCriteria,
  from: From.optional(),
  to: To.optional(),
  limit: wholeNumber({ min: 1, max: 1000, default: 100, description: 'How many events a page holds' }),
  cursor: Cursor,
  exclusions: EventExclusions,
}).prefault({});
export type NoiseEventsInput = z.output<typeof NoiseEventsInput>;

export const NoiseEvent = z
  .object({
    start: Instant.meta({ description: 'Its first point above the threshold' }),
    end: Instant.meta({
      description:
        'The first point after its last one above threshold - hysteresis, where that comes within hold_seconds; else that last one plus the spacing at its time, as for hold_seconds, or the next point above threshold - hysteresis if that comes first',
    }),
    duration_seconds: z.number().min(0).meta({ description: 'From start to end' }),
    peak_db: z.number().meta({
      description:
        'Highest level of a point, dB: Lmax if the points are maxima of a time-weighted level, else the highest Leq of a window. It is not a C-weighted peak sound level (LCpeak)',
    }),
    peak_at: Instant.meta({ description: 'The first point with that level' }),
    leq_db: level(
      'Equivalent continuous level from start to end, dB: the energy mean of all points there, those below the threshold included; null if energy_unavailable',
    ),
    leq_low_db: leqLow,
    sel_db: level(
      'Sound exposure level (ISO 1996-1): leq_db + 10·log10(duration_seconds), the level of one second with the energy of the event, dB; null where the duration is 0',
    ),
    point_count: z.int().min(1).meta({
      description: 'Points from start to end, with a level or without',
    }),
    dominant_frequency_hz: z.int().nullable().meta({
      description: 'Most frequent dominant frequency from start to end, the lowest among equals, Hz',
    }),
    ...outOfRange,
    threshold: z
      .number()
      .meta({ description: 'The threshold at its start, dB: with above_background that of its half hour' }),
    background_db: level(
      'L90, an estimate of the residual sound: that of the complete half hour (UTC) before the one in which it starts, to 0.1 dB; null where that holds no level',
    ),
    background_at_floor: z.boolean().meta({
      description:
        'Whether background_db is -50, the lowest level that is stored: the background may be lower',
    }),
    sel_complete: z.boolean().meta({
      description:
        'Whether peak_db is at least 10 dB above threshold - hysteresis, so that what lies below adds little to sel_db. Of a vehicle that passes by 0.8 to 1 dB may be missing at 10 dB, and less the higher the peak. It says nothing of what truncated_start, truncated_end and open tell',
    }),
    truncated_start: z.boolean().meta({ description: 'Whether it began before from' }),
    truncated_end: z.boolean().meta({ description: 'Whether it goes on at or after to' }),
    open: z.boolean().meta({
      description: 'Whether it may still go on: no point after it yet, and the hold has not passed',
    }),
  })
  .meta({ id: 'NoiseEvent', description: 'A noise event' });
export type NoiseEvent = z.output<typeof NoiseEvent>;

/** The criteria, as an answer repeats them. */
export const askedCriteria = {
  threshold: level('The threshold, dB; null with above_background'),
  above_background: level('How far above the background the threshold lies, dB; null with threshold'),
  hysteresis: z.number().meta({ description: 'Events go on above threshold - hysteresis, dB' }),
  hold_seconds: z.number().min(0).meta({
    description:
      'Points above threshold - hysteresis that are no further apart are one event. Where it was not given, this is the default at the newest points: earlier events follow the spacing of their own time',
  }),
  min_duration_seconds: z.number().min(0).meta({ description: 'Shorter events are left out' }),
  spacing_seconds: level(
    'Median distance of neighbouring times among the last 1,001 points before to, or now; null with fewer than two times',
  ),
};

export const EXAMPLE_CRITERIA = {
  threshold: -10,
  above_background: null,
  hysteresis: 3,
  hold_seconds: 1,
  min_duration_seconds: 0,
  spacing_seconds: 0.1,
};

export const EXAMPLE_EVENT: NoiseEvent = {
  start: '2026-01-01T00:20:00.000000Z',
  end: '2026-01-01T00:20:04.000000Z',
  duration_seconds: 4,
  peak_db: -2.5,
  peak_at: '2026-01-01T00:20:01.300000Z',
  leq_db: -8.25,
  leq_low_db: -8.25,
  sel_db: -2.2294,
  point_count: 40,
  dominant_frequency_hz: 440,
  under_range: 0,
  over_range: 0,
  threshold: -10,
  background_db: -42.9,
  background_at_floor: false,
  sel_complete: true,
  truncated_start: false,
  truncated_end: false,
  open: false,
};

export const NoiseEventsOutput = z
  .object({
    ...askedCriteria,
    from: Instant.nullable().meta({ description: 'Start of the interval, inclusive; null: no start' }),
    to: Instant.nullable().meta({ description: 'End of the interval, exclusive; null: no end' }),
    excluded_seconds,
    scale: LevelScale,
    events: z.array(NoiseEvent).meta({ description: 'Newest first' }),
    next_cursor: NextCursor,
  })
  .meta({
    id: 'NoiseEvents',
    description: 'Noise events, newest first',
    examples: [
      {
        ...EXAMPLE_CRITERIA,
        ...EXAMPLE_INTERVAL,
        excluded_seconds: 0,
        scale: EXAMPLE_SCALE,
        events: [EXAMPLE_EVENT],
        next_cursor: null,
      },
    ],
  });
