// events.list: input and output.
import { z } from 'zod';
import { DEFAULT_ABOVE_BACKGROUND_DB } from '../../../contract/default-event-rule.ts';
import { EventExclusions, excluded_seconds } from '../../../contract/exclusions.ts';
import { bool, figure, instant, instantOrNull, number } from '../../../contract/fields.ts';
import { historyFields } from '../../../contract/history.ts';
import {
  Cursor,
  limitInput,
  must,
  NextCursor,
  nameIn,
  numberFrom,
  optionalFromTo,
  parameters,
} from '../../../contract/parameters.ts';
import { LevelScale, levelsInput } from '../../../contract/periods.ts';
import { EXAMPLE_MEASURED_INTERVAL, leqLow, outOfRange } from '../../../contract/statistics.ts';

/** The threshold of events.loud if none is given. */
export const DEFAULT_THRESHOLD_DB = -10;

export const MAX_HOLD_SECONDS = 3600;

export const THRESHOLD_RANGE = '-50 to 0 as stored, or absolute with levels=absolute';

const ANY_THRESHOLD = must('a number of dB');

/** A level to compare points with, on the scale of `levels`. The procedure checks that points can reach it. */
export const threshold = (description: string) =>
  z.number(ANY_THRESHOLD).meta({ description, examples: [DEFAULT_THRESHOLD_DB] });

const BACKGROUND =
  'The background of a point is the lower of two levels: L90 of the half hour (UTC) before its own, and the median L90 of the same half hour of the seven days before. Only measured half hours count, and only days with the scale of the point. So a long sound does not become its own background';

const HOLD_ALLOWED = must(`a number of seconds from 0 to ${MAX_HOLD_SECONDS}, or auto`);
const SomeHold = z.union(
  [z.number(HOLD_ALLOWED).min(0, HOLD_ALLOWED).max(MAX_HOLD_SECONDS, HOLD_ALLOWED), z.literal('auto')],
  HOLD_ALLOWED,
);
/** As a pipe, because trpc-to-openapi refuses a union with a number. */
const Hold = SomeHold.pipe(SomeHold);

const runCriteria = {
  hysteresis: numberFrom(0, 20, 'dB')
    .default(3)
    .meta({
      description:
        'How far the level may fall below the threshold before the event ends, dB. The event continues above threshold - hysteresis',
      examples: [3],
    }),
  hold_seconds: Hold.default(10).meta({
    description:
      'The longest gap between points above threshold - hysteresis within an event, in seconds: the continuation period of sound level meters. From 0 to 3600, or `auto`: twice the spacing at the earlier point, but at least 1 and at most 3600. That spacing is `interval_ms` of the recording period, or spacing_seconds if that is unknown. If hold_seconds is below the spacing, every point is an event',
    examples: [5],
  }),
  min_duration_seconds: numberFrom(0, 86_400, 'seconds')
    .default(5)
    .meta({
      description:
        'Leaves out events that last fewer seconds than this. A shot or a bang lasts less than 5 s: set 0 to find it',
      examples: [1],
    }),
};

export const eventCriteria = {
  levels: levelsInput,
  threshold: threshold(
    `An event needs a point strictly above this level, dB: ${THRESHOLD_RANGE}. Default: see above_background`,
  ).optional(),
  above_background: numberFrom(3, 60, 'dB')
    .meta({
      description: `Replaces \`threshold\`: the threshold of a point is this many dB above the background. ${BACKGROUND}. Without either level, no point is above the threshold. Default without threshold: ${DEFAULT_ABOVE_BACKGROUND_DB}`,
    })
    .optional(),
  ...runCriteria,
};

const inEvents = (name: string) => `As \`${name}\` of events.list, for event_count`;

/** The criteria of events that an operation counts beside its own figures. */
export const countedEvents = {
  events: nameIn({ false: '', true: '' })
    .default('false')
    .meta({
      description:
        'Whether to count noise events in event_count: by default, those that events.list finds by default. event_threshold_db or event_above_background also turns this on. The first count of a time is slower, because it searches the points; the service remembers counts of the past',
      examples: ['true'],
    }),
  event_threshold_db: threshold(
    `Counts events above this level, dB: ${THRESHOLD_RANGE}. Default: see event_above_background`,
  ).optional(),
  event_above_background: eventCriteria.above_background.meta({
    description: `Counts events this many dB above the background. Default without event_threshold_db: ${DEFAULT_ABOVE_BACKGROUND_DB}`,
  }),
  event_hysteresis: runCriteria.hysteresis.meta({ description: inEvents('hysteresis') }),
  event_hold_seconds: runCriteria.hold_seconds.meta({ description: inEvents('hold_seconds') }),
  event_min_duration_seconds: runCriteria.min_duration_seconds.describe(inEvents('min_duration_seconds')),
};

export const shownCounted = {
  event_threshold_db: figure('The threshold of counted events, dB; null with event_above_background'),
  event_above_background: figure(
    'How far the threshold of counted events lies above the background, dB; null with event_threshold_db, or if events are not counted',
  ),
};

const EventCountReason = z.enum(['not_requested', 'too_many_points', 'points_removed']);

export const eventCount = {
  event_count: z.int().min(0).nullable().meta({
    description:
      'Noise events that start in this time within the interval, as events.list finds them with the same criteria; null if they were not counted',
  }),
  event_count_reason: EventCountReason.nullable().describe(
    'Why event_count is null. `not_requested`: neither events=true nor a threshold was given; `too_many_points`: the search would read too many points above the threshold. Older times are left out first: a shorter interval or a higher threshold counts them; `points_removed`: only sums by minute are left (history_until). Null if event_count is a number',
  ),
};
export type EventCount = z.infer<z.ZodObject<typeof eventCount>>;

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
    point_count: z.int().min(1).describe('Points from start to end, with or without a level'),
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

export const shownCriteria = {
  threshold: figure('The threshold, dB; null with above_background'),
  above_background: figure('How far the threshold lies above the background, dB; null with threshold'),
  hysteresis: number('Events continue above threshold - hysteresis, dB'),
  hold_seconds: z.number().min(0).meta({
    description:
      'The longest gap between points above threshold - hysteresis in one event. With `auto`, it is that at the end of the interval; earlier events use the spacing of their own time',
  }),
  min_duration_seconds: z.number().min(0).describe('Events that last fewer seconds are left out'),
  spacing_seconds: figure(
    'The time between points at the end of the interval, seconds: `interval_ms` of the recording period. If it is unknown, the median gap between neighbouring times among the last 1,001 points before the end, ignoring duplicates; null with fewer than two times. Without an end, now is the end',
  ),
};

export const EXAMPLE_CRITERIA = {
  threshold: null,
  above_background: 10,
  hysteresis: 3,
  hold_seconds: 10,
  min_duration_seconds: 5,
  spacing_seconds: 0.1,
};

export const EXAMPLE_EVENT: NoiseEvent = {
  start: '2026-01-01T00:20:00.000000Z',
  end: '2026-01-01T00:20:08.000000Z',
  duration_seconds: 8,
  peak_db: -2.5,
  peak_at: '2026-01-01T00:20:01.300000Z',
  leq_db: -8.25,
  leq_low_db: -8.25,
  sel_db: 0.7809,
  point_count: 80,
  dominant_frequency_hz: 440,
  under_range: 0,
  over_range: 0,
  threshold: -32.9,
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
    ...historyFields,
    scale: LevelScale,
    events: z.array(NoiseEvent).meta({ description: 'Newest first' }),
    next_cursor: NextCursor,
  })
  .meta({
    id: 'NoiseEvents',
    description: 'Noise events, newest first',
    examples: [
      { ...EXAMPLE_CRITERIA, ...EXAMPLE_MEASURED_INTERVAL, events: [EXAMPLE_EVENT], next_cursor: null },
    ],
  });
