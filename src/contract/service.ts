// service.info: what comes out. It takes no parameters.
import { z } from 'zod';
import { ComparedCheck, MOST_CHECKS } from './calibrations.ts';
import { Instant } from './instant-schema.ts';
import { ASSESSED, Assess } from './judgement.ts';
import { Limits } from './limits.ts';
import { Measurement } from './measurement.ts';
import { meaningsOf, nameIn, parameters } from './parameters.ts';
import { MOST_PERIODS, RecordingPeriod } from './periods.ts';
import { STATION_STATES } from './station.ts';

export const InfoInput = parameters({}).prefault({});

/** Whether statistics of long windows come from rollups, or why they come from the points alone. */
const ROLLUPS_IN_USE = {
  'in use': 'they come from rollups, and from points where those are stale',
  none: 'the database has none',
  missing: 'some are not there',
  forbidden: 'the role of the service may not read them all',
  unnoted: 'not every change of a point is noted',
} as const;

const retention = (what: string) =>
  z
    .string()
    .nullable()
    .meta({
      description: `How long ${what} are kept, as PostgreSQL writes an interval; null if nothing drops them, or if the role of the service may not read it`,
    });

const REFRESH_STATES = {
  current: 'a refresh has done all but the last minutes',
  'catching up': 'much waits, as after an import, and is counted while questions are answered',
  stalled: 'nothing has refreshed them for ten minutes: the log says what to do',
} as const;

/** How far the rollups are behind the points. */
export const RollupRefresh = z.object({
  state: nameIn(REFRESH_STATES).meta({
    description: `${meaningsOf(REFRESH_STATES)}. Answers are exact in each; the more waits, the more points they read`,
  }),
  minutes_waiting: z.int().nullable().meta({
    description:
      'Minutes of points that changed and are not counted yet: an estimate if they lie in more than three days, of 400 days at most. Null if all points are to be counted again',
  }),
  oldest_waiting: Instant.nullable().meta({
    description: 'Start of the oldest of them; null where none waits, or all do',
  }),
  last_refresh: Instant.meta({
    description: 'When a refresh last ran: once a minute, by a service or `npm run maintain`',
  }),
});
export type RollupRefresh = z.infer<typeof RollupRefresh>;

/** The recorder that the service runs itself. */
export const RecorderState = z.object({
  running: z.boolean().meta({ description: 'Whether its program runs' }),
  since: Instant.meta({ description: 'Since when it runs, or does not' }),
  restarts: z.int().meta({ description: 'How often it was started again' }),
  last_exit: z
    .object({
      time: Instant.meta({ description: 'When it ended' }),
      reason: z.string().meta({ description: 'How, such as `exit code 1` or `signal SIGKILL`' }),
    })
    .nullable()
    .meta({ description: 'How it ended last; null where it has not' }),
});
export type RecorderState = z.infer<typeof RecorderState>;

export const InfoOutput = z
  .object({
    version: z.string().meta({ description: 'Version of the service' }),
    database: z.string().meta({ description: 'The database and its version, for people' }),
    layout: z.enum(['hypertable', 'plain']).meta({
      description: 'How points are stored: in a hypertable of TimescaleDB, or in a plain table',
    }),
    rollups: nameIn(ROLLUPS_IN_USE).meta({
      description: `Whether statistics of long windows are read from rollups; if not, why. They are exact either way, and fast only from rollups. ${meaningsOf(ROLLUPS_IN_USE)}`,
    }),
    rollup_refresh: RollupRefresh.nullable().meta({
      description:
        'How far the rollups are behind the points; null if the role of the service may not read it: npm run migrate with READER_ROLE lets it',
    }),
    oldest: Instant.nullable().meta({ description: 'Time of the oldest point; null where there is none' }),
    newest: Instant.nullable().meta({
      description: 'Time of the newest point, one dated ahead included; null where there is none',
    }),
    newest_age_seconds: z.number().min(0).nullable().meta({
      description:
        'How long ago the newest point was measured, by the clock of the service; 0 if it lies ahead. A point that is dated a minute or more ahead does not count; null if no other is there',
    }),
    state: nameIn(STATION_STATES).meta({
      description: `How recording goes, by the same point. ${meaningsOf(STATION_STATES)}`,
    }),
    raw_retention: retention('points'),
    aggregate_retention: retention('the minutes of audio_data_1min'),
    place_name: z.string().nullable().meta({
      description: 'What the place of the microphone is called; null where it has no name',
    }),
    time_zone: z.string().meta({
      description: 'The IANA time zone of the place: that of days and of limits where no other is asked for',
    }),
    limits: Limits,
    calibration_offset_db: z.number().nullable().meta({
      description:
        'The sound pressure level in dB that 0 dB relative to full scale stands for. Add it to a level of a period without a reference to get dB SPL. That is dB(A) only where the recorder weighed the levels so (`--weighting A`). Null where the microphone is not calibrated',
    }),
    assess: Assess.meta({
      description: `What of each part is compared with its limit. ${meaningsOf(ASSESSED)}`,
    }),
    uncertainty_db: z.number().meta({
      description: 'The expanded uncertainty of levels that are compared with limits (ISO 1996-2), dB',
    }),
    min_measured_percent: z.number().meta({
      description: 'How much of a part must be measured to decide it, in percent',
    }),
    measurement: Measurement,
    calibrations: z.array(ComparedCheck).meta({
      description: `The calibration checks of the microphone, newest first, at most ${MOST_CHECKS}`,
    }),
    periods: z.array(RecordingPeriod).meta({
      description: `How points were recorded, newest first, at most ${MOST_PERIODS}. Points before the first period, or of one that says nothing, count as dB relative to full scale`,
    }),
    recorder: RecorderState.nullable().meta({
      description:
        'The program that records, where the service runs one (`--record`). Null where none does, or points come from elsewhere',
    }),
  })
  .meta({
    id: 'ServiceInfo',
    examples: [
      {
        version: '1.0.0',
        database: 'PostgreSQL 17.11, TimescaleDB 2.29.2',
        layout: 'hypertable',
        rollups: 'in use',
        rollup_refresh: {
          state: 'catching up',
          minutes_waiting: 14_400,
          oldest_waiting: '2026-01-20T00:00:00.000000Z',
          last_refresh: '2026-02-04T11:59:12.345000Z',
        },
        oldest: '2026-01-01T00:00:00.123456Z',
        newest: '2026-02-04T11:59:59.900000Z',
        newest_age_seconds: 0.35,
        state: 'recording',
        raw_retention: '35 days',
        aggregate_retention: '1 year',
        place_name: 'Elm Street 4, courtyard',
        time_zone: 'Europe/Vienna',
        limits: [
          { start: '06:00', end: '22:00', limit_db: 55, penalty_db: 0 },
          { start: '22:00', end: '06:00', limit_db: 45, penalty_db: 3 },
        ],
        calibration_offset_db: 120.5,
        assess: 'hour',
        uncertainty_db: 2,
        min_measured_percent: 90,
        measurement: {
          position: 'Window sill of the bedroom, second floor',
          height_m: 7.5,
          facade_distance_m: 0.5,
          microphone: 'UMIK-1, 7001234',
          sound_card: null,
          calibrator: 'CAL73, 61012',
          windscreen: '90 mm foam',
          operator: 'Environmental office',
        },
        calibrations: [
          {
            time: '2026-01-01T08:00:00.000000Z',
            level_db: 94,
            frequency_hz: 1000,
            offset_db: 120.11,
            channel: 'mean',
            drift_db: null,
          },
        ],
        periods: [
          {
            since: '2026-01-01T00:00:00.123456Z',
            unit: 'dB(A)',
            reference_db: 95,
            weighting: 'A',
            time_weighting: 'fast',
            calibration_db: 120.11,
            interval_ms: 100,
            channel: 'mean',
            statistic: 'max',
            instrument: null,
            counts_overload: true,
            clock: 'machine',
          },
        ],
        recorder: {
          running: true,
          since: '2026-02-03T04:05:06.789000Z',
          restarts: 1,
          last_exit: { time: '2026-02-03T04:05:05.789000Z', reason: 'exit code 1' },
        },
      },
    ],
  });
export type InfoOutput = z.infer<typeof InfoOutput>;
