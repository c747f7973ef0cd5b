// stations.list and stations.live: input and output.
import { z } from 'zod';
import { figure, instantOrNull, text, textOrNull } from '../../contract/fields.ts';
import { Limits } from '../../contract/limits.ts';
import { meaningsOf, nameIn, parameters } from '../../contract/parameters.ts';
import { EXAMPLE_SCALE, LevelScale, Levels } from '../../contract/periods.ts';
import { aheadUntil, STATION_STATES } from '../../contract/station.ts';
import { LimitPart } from '../stats/limits/contract.ts';

const levels = Levels.default('stored').meta({
  description:
    'The scale of levels. `absolute` shows sound pressure levels of calibrated stations. Other stations keep stored levels: see `scale`',
  examples: ['stored'],
});

export const StationsInput = parameters({ levels }).prefault({});

const EventId = z
  .string()
  .max(100)
  .describe('Ignored: every stream starts with all stations. An EventSource sends it when it reconnects')
  .optional();

/** The input on `/trpc`: tRPC clients call the id `lastEventId`. */
export const StationsLiveInput = parameters({ lastEventId: EventId, levels }).prefault({});

/** The input on REST. */
export const StationsLiveQuery = parameters({ last_event_id: EventId, levels });

const STATES = {
  ...STATION_STATES,
  unavailable: 'queries of this station fail, so all its other fields except `name` and `path` are null',
} as const;

const scaleOfLevels = z
  .object(LevelScale.shape)
  .nullable()
  .meta({ description: 'The scale of the levels of this station; null without points' });

const now = {
  name: text('Name of the station; `default` at the root path'),
  level_db: figure('Level of the newest point, dB'),
  frequency_hz: figure('Dominant frequency of the newest point, Hz'),
  ahead_until: aheadUntil,
  state: nameIn(STATES).meta({ description: meaningsOf(STATES) }),
};

export const Night = LimitPart.pick({
  from: true,
  to: true,
  limit_db: true,
  penalty_db: true,
  leq_db: true,
  assessed_db: true,
  weighting: true,
  over_range: true,
  first_over_range: true,
  measured_percent: true,
  state: true,
  reason: true,
});

const LastNight = Night.nullable().describe(
  'The last complete run of the limit that applies at midnight or, if none does, of the limit that starts latest. Null without limits',
);

export const StationOverview = z
  .object({
    ...now,
    path: text('Path of the station, such as `/stations/garden/`'),
    place_name: textOrNull("Name of the microphone's location"),
    time_zone: textOrNull('The IANA time zone of the location'),
    newest: instantOrNull('Time of the newest point, ignoring points dated a minute or more ahead'),
    newest_age_seconds: figure('Age of that point, seconds; 0 if it is dated in the future'),
    leq_1h_db: figure('Equivalent continuous level of the last hour, dB'),
    scale: scaleOfLevels,
    limits: Limits.nullable(),
    calibration_offset_db: figure('As in service.info, dB'),
    limit_db: figure('The limit that applies now, dB on the calibrated scale; null without one'),
    night: LastNight,
    hours: z.array(z.number().nullable()).nullable().meta({
      description:
        'Leq of each of the last 24 clock hours in time_zone, dB, oldest first. The last hour is incomplete',
    }),
  })
  .meta({ id: 'StationOverview', description: 'A station and its state' });
export type StationOverview = z.infer<typeof StationOverview>;

const StationNow = z
  .object({
    ...now,
    time: instantOrNull('Time of its newest point, ignoring points dated a minute or more ahead'),
    max_10s_db: figure('Highest level of the last 10 s, dB'),
    scale: scaleOfLevels,
  })
  .meta({ id: 'StationNow', description: 'The current level of a station' });
export type StationNow = z.infer<typeof StationNow>;

const state = 'recording' as const;
const example = { name: 'garden', level_db: -42.3, frequency_hz: 315, ahead_until: null, state };
const time = '2026-01-02T11:59:59.900000Z';
const night = { from: '2026-01-01T21:00:00.000000Z', to: '2026-01-02T05:00:00.000000Z', limit_db: 45 };
const limit = { weighting: 'A' as const, penalty_db: 0, assess: null, max_limit_db: null };
const EXAMPLE: StationOverview = {
  ...example,
  path: '/stations/garden/',
  place_name: 'Elm Street 4, courtyard',
  time_zone: 'Europe/Vienna',
  newest: time,
  newest_age_seconds: 0.35,
  leq_1h_db: -44.1,
  scale: EXAMPLE_SCALE,
  calibration_offset_db: null,
  limits: [
    { start: '06:00', end: '22:00', limit_db: 55, ...limit },
    { start: '22:00', end: '06:00', limit_db: 45, ...limit },
  ],
  limit_db: 55,
  night: {
    ...night,
    weighting: 'A',
    penalty_db: 0,
    leq_db: -52.9,
    assessed_db: 42.1,
    over_range: 0,
    first_over_range: null,
    measured_percent: 99.8,
    state: 'under',
    reason: null,
  },
  hours: [...Array<null>(20).fill(null), -43.9, -45.2, -44.8, -44.1],
};

export const StationsOutput = z
  .object({
    stations: z.array(StationOverview).meta({ description: 'The default station first, then by name' }),
  })
  .meta({
    id: 'Stations',
    description: 'The stations that the caller may query',
    examples: [{ stations: [EXAMPLE] }],
  });

export const StationsEvent = z
  .object({
    stations: z.array(StationNow).describe('Stations that changed; all stations in the first event'),
  })
  .meta({
    id: 'StationsEvent',
    description: 'The data of a stations.live event',
    examples: [{ stations: [{ ...example, time, max_10s_db: -38.2, scale: EXAMPLE_SCALE }] }],
  });
export type StationsEvent = z.infer<typeof StationsEvent>;
