// events.list: input and output.
import { z } from 'zod';
import { EventExclusions, excluded_seconds } from '../../../contract/exclusions.ts';
import { bool, figure, instant, instantOrNull, number } from '../../../contract/fields.ts';
import {
  Cursor,
  limitInput,
  must,
  NextCursor,
  numberFrom,
  optionalFromTo,
  parameters,
} from '../../../contract/parameters.ts';
import { LevelScale, levelsInput } from '../../../contract/periods.ts';
import { EXAMPLE_MEASURED_INTERVAL, leqLow, outOfRange } from '../../../contract/statistics.ts';

/** The threshold if neither `threshold` nor `above_background` is given. */
export const DEFAULT_THRESHOLD_DB = -10;

/** The longest `hold_seconds`. */
export const MAX_HOLD_SECONDS = 3600;

/** The allowed levels of a threshold. */
export const THRESHOLD_RANGE = '-50 to 0 as stored, or absolute with levels=absolute';

const ANY_THRESHOLD = must('a number of dB');

/** A level to compare points with, on the scale of `levels`. The procedure checks that points can reach it. */
export function threshold(description: string) {
  return z.number(ANY_THRESHOLD).meta({ description, examples: [DEFAULT_THRESHOLD_DB] });
}

const BACKGROUND =
  'The background of a point is the lower of two levels: L90 of the half hour (UTC) before its own, and the median L90 of the same half hour of the seven days before, as far as measured on the scale of the point. So it depends on earlier half hours alone, and a long sound does not become its own background';

/** The criteria of an event. */
export const eventCriteria = {
  levels: levelsInput,
  threshold: threshold(
    `An event needs a point strictly above this level, dB: ${THRESHOLD_RANGE}. Default without above_background: ${DEFAULT_THRESHOLD_DB} (stored)`,
  ).optional(),
  above_background: numberFrom(3, 60, 'dB')
    .meta({
      description: `Replaces \`threshold\`: the threshold of a point is this many dB above the background. ${BACKGROUND}. Without either, no point is above the threshold`,
    })
    .optional(),
  hysteresis: numberFrom(0, 20, 'dB')
    .default(0)
    .meta({
      description:
        'How far the level may fall below the threshold before the event ends, dB. The event continues above threshold - hysteresis',
      examples: [3],
    }),
  hold_seconds: numberFrom(0, MAX_HOLD_SECONDS, 'seconds')
    .meta({
      description:
        'The longest gap between points above threshold - hysteresis within an event, in seconds: the continuation period of sound level meters. Default: twice the spacing at the earlier point, but at least 1 and at most 3600. That spacing is `interval_ms` of the recording period, or spacing_seconds if that is unknown. If hold_seconds is below the spacing, every point is an event',
      examples: [5],
    })
    .optional(),
  min_duration_seconds: numberFrom(0, 86_400, 'seconds')
    .default(0)
    .meta({ description: 'Leaves out events that last fewer seconds than this', examples: [1] }),
};

export const NoiseEventsInput = parameters({
  ...eventCriteria,
  ...optionalFromTo,
  limit: limitInput(1000, 100, 'Most events per page'),
  cursor: Cursor,
  exclusions: EventExclusions,
}).prefault({});
export type NoiseEventsInput = z.output<typeof NoiseEventsInput>;

export const NoiseEvent = z
  .object({
    start: instant('Time of the first point above the threshold'),
    end: instant(
      'Time of the point that follows the last one above threshold - hysteresis, if within hold_seconds of it. Otherwise the time of that last point plus the spacing at the start of the event (see hold_seconds), at most up to the next point above threshold - hysteresis',
    ),
    duration_seconds: z.number().min(0).meta({ description: 'Seconds from start to end' }),
    peak_db: number(
      'Highest level of a point, dB. It is Lmax if the points are maxima of a time-weighted level, and otherwise the highest Leq of a window. It is not a C-weighted peak sound level (LCpeak)',
    ),
    peak_at: instant('Time of the first point with the level peak_db'),
    leq_db: figure(
      'Equivalent continuous level from start to end, dB: the energy mean of all points, including points below the threshold; null if energy_unavailable is true',
    ),
    leq_low_db: leqLow,
    sel_db: figure(
      'Sound exposure level (ISO 1996-1), dB: leq_db + 10·log10(duration_seconds). One second at this level has the energy of the event. Null if the duration is 0 or leq_db is null',
    ),
    point_count: z.int().min(1).meta({
      description: 'Points from start to end, with or without a level',
    }),
    dominant_frequency_hz: z.int().nullable().meta({
      description: 'The most frequent dominant frequency from start to end, Hz; if several tie, the lowest',
    }),
    ...outOfRange,
    threshold: number('The threshold at the start of the event, dB'),
    background_db: figure(
      `An estimate of the residual sound when the event starts, dB. ${BACKGROUND}; null without either`,
    ),
    background_at_floor: bool(
      'Whether background_db is the lowest level that can be stored. The true background may have been lower',
    ),
    sel_complete: bool(
      'Whether peak_db is at least 10 dB above threshold - hysteresis. If so, sel_db lacks little: at most about 1 dB for a passing vehicle, and less with a higher peak. Check truncated_start, truncated_end and `open` separately',
    ),
    truncated_start: bool('Whether the event began before the interval'),
    truncated_end: bool('Whether the event goes on past the end of the interval'),
    open: bool(
      'Whether the event may still go on: no point follows it, and hold_seconds have not passed since',
    ),
  })
  .meta({ id: 'NoiseEvent', description: 'A noise event' });
export type NoiseEvent = z.output<typeof NoiseEvent>;

/** The criteria in an answer. */
export const shownCriteria = {
  threshold: figure('The threshold, dB; null with above_background'),
  above_background: figure('How far the threshold lies above the background, dB; null if not requested'),
  hysteresis: number('Events continue above threshold - hysteresis, dB'),
  hold_seconds: z.number().min(0).meta({
    description:
      'The longest gap between points above threshold - hysteresis in one event. Unless you set it, this is the default at the end of the interval; earlier events use the default of their own time',
  }),
  min_duration_seconds: z
    .number()
    .min(0)
    .meta({ description: 'Events that last fewer seconds are left out' }),
  spacing_seconds: figure(
    'The time between points at the end of the interval, seconds: `interval_ms` of the recording period. If it is unknown, the median gap between neighbouring times among the last 1,001 points before the end, ignoring duplicates; null with fewer than two times. Without an end, now is the end',
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
    from: instantOrNull('Start of the interval, inclusive; null if it has none'),
    to: instantOrNull('End of the interval, exclusive; null if it has none'),
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
        ...EXAMPLE_MEASURED_INTERVAL,
        events: [EXAMPLE_EVENT],
        next_cursor: null,
      },
    ],
  });
