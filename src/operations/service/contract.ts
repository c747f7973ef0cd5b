// service.info: output. It takes no parameters.
import { z } from 'zod';
import { ComparedCheck, MOST_CHECKS } from '../../contract/calibrations.ts';
import { bool, figure, instant, instantOrNull, number, text, textOrNull } from '../../contract/fields.ts';
import { ASSESSED, Assess, Limits } from '../../contract/limits.ts';
import { meaningsOf, nameIn, parameters } from '../../contract/parameters.ts';
import { MOST_PERIODS, RecordingPeriod } from '../../contract/periods.ts';
import { aheadCount, aheadUntil, Measurement, STATION_STATES } from '../../contract/station.ts';

export const InfoInput = parameters({}).prefault({});

/** Whether statistics of long windows read rollups, or why not. */
const ROLLUPS_IN_USE = {
  'in use': 'statistics read rollups, and points if rollups are stale',
  none: 'the database has no rollups',
  missing: 'some rollups are missing',
  forbidden: 'the role of the service may not read all rollups',
  unnoted: 'some changes to points go unrecorded',
} as const;

const retention = (what: string) =>
  textOrNull(
    `How long ${what} are kept, as a PostgreSQL interval; null if they are kept forever, or if the role of the service may not read the setting`,
  );

const REFRESH_STATES = {
  current: 'all but the latest few minutes are refreshed',
  'catching up':
    'many minutes wait to be refreshed, for example after an import; requests are still answered',
  stalled: 'no refresh for ten minutes (the log names the remedy)',
} as const;

export const RollupRefresh = z.object({
  state: nameIn(REFRESH_STATES).meta({
    description: `${meaningsOf(REFRESH_STATES)}. Answers are exact in every state, but slower the more minutes wait`,
  }),
  minutes_waiting: z.int().nullable().meta({
    description:
      'Number of minutes that wait to be recounted, at most those of 400 days. If chunks changed, whole days wait, with their empty minutes. It is an estimate if these minutes lie in more than three days. Null if all minutes must be recounted',
  }),
  oldest_waiting: instantOrNull(
    'Start of the oldest waiting minute; null if none waits, or if all minutes must be recounted',
  ),
  last_refresh: instant('When a refresh last ran. A service or `npm run maintain` runs one every minute'),
});
export type RollupRefresh = z.infer<typeof RollupRefresh>;

export const RecorderState = z.object({
  running: bool('Whether the recorder process is running'),
  since: instant('When the recorder last started or stopped'),
  restarts: z.int().meta({ description: 'Number of restarts' }),
  last_exit: z
    .object({
      time: instant('When the recorder exited'),
      reason: text('The cause, such as `exit code 1` or `signal SIGKILL`'),
    })
    .nullable()
    .meta({ description: 'The last exit; null without one' }),
});
export type RecorderState = z.infer<typeof RecorderState>;

const LIMIT = { weighting: 'A' as const, assess: null, max_limit_db: null };

export const InfoOutput = z
  .object({
    version: text('Version of the service'),
    database: text('The database and its version, for people'),
    layout: z.enum(['hypertable', 'plain']).meta({
      description: 'How points are stored: in a TimescaleDB hypertable, or in a plain table',
    }),
    rollups: nameIn(ROLLUPS_IN_USE).meta({
      description: `Whether statistics of long windows read rollups, or why not. Statistics are exact either way, but fast only with rollups. ${meaningsOf(ROLLUPS_IN_USE)}`,
    }),
    rollup_refresh: RollupRefresh.nullable().describe(
      'How far the rollups are behind the points; null if the role of the service may not read this. To allow it, set READER_ROLE and run `npm run migrate`',
    ),
    oldest: instantOrNull('Time of the oldest point; null without points'),
    newest: instantOrNull('Time of the newest point, even if it is dated in the future; null without points'),
    points_since: instantOrNull(
      'End of the newest minute of history: earlier points were removed (RAW_RETENTION), except on days with few points. Null without history',
    ),
    history_since: instantOrNull('Start of the oldest minute of history; null without history'),
    newest_age_seconds: z.number().min(0).nullable().meta({
      description:
        'Age of the newest point by the clock of the service, seconds; 0 if it is dated in the future. Points dated a minute or more ahead are ignored. Null if there are no others',
    }),
    ahead_count: aheadCount('Points'),
    ahead_until: aheadUntil,
    state: nameIn(STATION_STATES).meta({
      description: `The state of recording, by the age of the newest point. ${meaningsOf(STATION_STATES)}`,
    }),
    raw_retention: retention('points'),
    history_retention: retention('history, and the points of days with few points,'),
    aggregate_retention: retention('the minutes of audio_data_1min'),
    place_name: textOrNull("The name of the microphone's location; null if it has none"),
    time_zone: text('The IANA time zone of the location, and the default time zone of stats.limits'),
    limits: Limits,
    calibration_offset_db: figure(
      'The sound pressure level at full scale, dB. Add it to levels of a period without a reference to get dB SPL, or dB(A) if recorded with A-weighting (`--weighting A`). Null if the microphone is not calibrated',
    ),
    assess: Assess.meta({
      description: `The stretch of each part that stats.limits compares with its limit. ${meaningsOf(ASSESSED)}`,
    }),
    uncertainty_db: figure(
      "The expanded uncertainty of the station's levels (ISO 1996-2), dB; null if it is not stated",
    ),
    min_measured_percent: number('How much of a part must be measured to decide its state, percent'),
    measurement: Measurement,
    calibrations: z.array(ComparedCheck).meta({
      description: `The calibration checks of the microphone, newest first, at most ${MOST_CHECKS}`,
    }),
    periods: z.array(RecordingPeriod).meta({
      description: `How points were recorded, newest first, at most ${MOST_PERIODS}. Levels before the first period, or in a period with unknown settings, count as relative to full scale`,
    }),
    recorder: RecorderState.nullable().meta({
      description: 'The recorder that the service runs (`--record`); null if it runs none',
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
        points_since: '2026-01-01T00:00:00.000000Z',
        history_since: '2020-06-01T09:14:00.000000Z',
        newest_age_seconds: 0.35,
        ahead_count: 0,
        ahead_until: null,
        state: 'recording',
        raw_retention: '35 days',
        history_retention: '10 years',
        aggregate_retention: '1 year',
        place_name: 'Elm Street 4, courtyard',
        time_zone: 'Europe/Vienna',
        limits: [
          { start: '06:00', end: '22:00', limit_db: 55, penalty_db: 0, ...LIMIT },
          { start: '22:00', end: '06:00', limit_db: 45, penalty_db: 3, ...LIMIT },
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
