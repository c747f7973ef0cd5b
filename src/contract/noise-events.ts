// events.list: input and output.
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

/** The allowed levels of a threshold. */
export const THRESHOLD_RANGE = 'from the stored -50 to 0, or on the absolute scale with levels=absolute';

const STORED_THRESHOLD = must('a number of dB from -50 to 0');

/** A level to compare points with, on the scale of `levels`. The procedure checks that a point can have it. */
export function threshold(description: string) {
  return z.number(STORED_THRESHOLD).meta({ description, examples: [DEFAULT_THRESHOLD_DB] });
}

/** The criteria of an event. */
export const eventCriteria = {
  levels: levelsInput,
  threshold: threshold(
    `An event has a point strictly above this level, dB, ${THRESHOLD_RANGE}. Default without above_background: the stored ${DEFAULT_THRESHOLD_DB}`,
  ).optional(),
  above_background: numberFrom(3, 60, 'dB')
    .meta({
      description:
        'Replaces threshold: the threshold of a point is this many dB above the background, the L90 of the last complete half hour (UTC) before the half hour of the point. After a half hour without levels, no point is above the threshold',
    })
    .optional(),
  hysteresis: numberFrom(0, 20, 'dB')
    .default(0)
    .meta({
      description:
        'How far the level may fall below the threshold before the event ends, dB: it continues above threshold - hysteresis',
      examples: [3],
    }),
  hold_seconds: numberFrom(0, MAX_HOLD_SECONDS, 'seconds')
    .meta({
      description:
        'The longest distance of neighbouring points above threshold - hysteresis within an event, in seconds: the continuation period of sound level meters. Default: the larger of 1 and twice the spacing at the earlier point, at most 3600. That spacing is the larger of two, at the start and at the end of the ten minutes (UTC) of the point; each is the median among the 21 times before. If hold_seconds is below the spacing, every point is an event',
      examples: [5],
    })
    .optional(),
  min_duration_seconds: numberFrom(0, 86_400, 'seconds')
    .default(0)
    .meta({ description: 'Leaves out shorter events, in seconds', examples: [1] }),
};

export const NoiseEventsInput = parameters({
  ...eventCriteria,
  from: From.optional(),
  to: To.optional(),
  limit: wholeNumber({ min: 1, max: 1000, default: 100, description: 'The most events on a page' }),
  cursor: Cursor,
  exclusions: EventExclusions,
}).prefault({});
export type NoiseEventsInput = z.output<typeof NoiseEventsInput>;

export const NoiseEvent = z
  .object({
    start: Instant.meta({ description: 'The first point above the threshold' }),
    end: Instant.meta({
      description:
        'The first point after the last point above threshold - hysteresis, if it follows within hold_seconds. Otherwise the last point plus the spacing at its time (see hold_seconds), but not later than the next point above threshold - hysteresis',
    }),
    duration_seconds: z.number().min(0).meta({ description: 'From start to end' }),
    peak_db: z.number().meta({
      description:
        'Highest level of a point, dB: Lmax if the points are maxima of a time-weighted level, else the highest Leq of a window. It is not a C-weighted peak sound level (LCpeak)',
    }),
    peak_at: Instant.meta({ description: 'The time of the first point with that level' }),
    leq_db: level(
      'Equivalent continuous level from start to end, dB: the energy mean of all points, also of those below the threshold; null if energy_unavailable is true',
    ),
    leq_low_db: leqLow,
    sel_db: level(
      'Sound exposure level (ISO 1996-1): leq_db + 10·log10(duration_seconds), the level of one second with the energy of the event, dB; null if the duration is 0',
    ),
    point_count: z.int().min(1).meta({
      description: 'Points from start to end, with or without a level',
    }),
    dominant_frequency_hz: z.int().nullable().meta({
      description: 'The most frequent dominant frequency from start to end, the lowest among equals, Hz',
    }),
    ...outOfRange,
    threshold: z.number().meta({
      description:
        'The threshold at the start of the event, dB: with above_background, the threshold of that half hour',
    }),
    background_db: level(
      'An estimate of the residual sound, dB: the L90 of the last complete half hour (UTC) before the half hour in which the event starts, to 0.1 dB; null if that half hour has no level',
    ),
    background_at_floor: z.boolean().meta({
      description:
        'Whether background_db is -50, the lowest level that can be stored: the background may have been lower',
    }),
    sel_complete: z.boolean().meta({
      description:
        'Whether peak_db is at least 10 dB above threshold - hysteresis, so that quieter sound adds little to sel_db. At 10 dB, sel_db of a passing vehicle may be 0.8 to 1 dB too low, and less with a higher peak. Check truncated_start, truncated_end and open separately',
    }),
    truncated_start: z.boolean().meta({ description: 'Whether the event began before from' }),
    truncated_end: z.boolean().meta({ description: 'Whether the event continues at or after to' }),
    open: z.boolean().meta({
      description:
        'Whether the event may still continue: no point has followed, and hold_seconds have not passed',
    }),
  })
  .meta({ id: 'NoiseEvent', description: 'A noise event' });
export type NoiseEvent = z.output<typeof NoiseEvent>;

/** The criteria in an answer. */
export const shownCriteria = {
  threshold: level('The threshold, dB; null with above_background'),
  above_background: level('How far above the background the threshold lies, dB; null with threshold'),
  hysteresis: z.number().meta({ description: 'Events continue above threshold - hysteresis, dB' }),
  hold_seconds: z.number().min(0).meta({
    description:
      'Points above threshold - hysteresis that are at most this far apart belong to one event. If not given, this is the default at the newest points; earlier events use the spacing of their own time',
  }),
  min_duration_seconds: z.number().min(0).meta({ description: 'Shorter events are left out' }),
  spacing_seconds: level(
    'Median distance of neighbouring times among the last 1,001 points before to, or before now; null with fewer than two times',
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
    ...shownCriteria,
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
