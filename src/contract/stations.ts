// stations.list and stations.live: what comes out. They take no parameters.
import { z } from 'zod';
import { Instant } from './instant-schema.ts';
import { Limit } from './limits.ts';
import { nameIn, parameters } from './parameters.ts';
import { EXAMPLE_SCALE, LevelScale } from './periods.ts';
import { level } from './statistics.ts';

export const StationsInput = parameters({}).prefault({});

const AGAIN =
  'The id that a client sends when it comes back: a stream tells all stations first, whatever it is';
const EventId = z
  .string()
  .max(100)
  .meta({ description: `${AGAIN}. The header Last-Event-ID is read the same way` })
  .optional();

/** On `/trpc`, whose clients name the id so. */
export const StationsLiveInput = parameters({ lastEventId: EventId }).prefault({});

/** On REST. */
export const StationsLiveQuery = parameters({ last_event_id: EventId });

const STATES = {
  recording: 'points come',
  silent_recorder: 'the recorder that the service runs is there, and no point comes',
  offline: 'no point comes any more',
  empty: 'there is no point',
  unavailable: 'its questions fail: all but its name and path is null',
};

const state = nameIn(STATES).meta({
  description: `${Object.entries(STATES)
    .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
    .join('; ')}. Points come while the newest is younger than 10 s, or five times their spacing`,
});

/** A night whose coverage is below this, in percent, is not judged. */
export const LEAST_MEASURED = 90;

const name = z.string().meta({ description: 'Its name; `default` for the one at the root' });
const level_db = level('The level of the newest point as it is stored, without reference_db of the scale');
const Night = z
  .object({
    from: Instant.meta({ description: 'Start, inclusive' }),
    to: Instant.meta({ description: 'End, exclusive' }),
    leq_db: level('Equivalent continuous level as stored, dB'),
    limit_db: Limit.shape.limit_db,
    measured_percent: z
      .number()
      .meta({ description: 'How much of it was measured: coverage_percent of stats.quality' }),
    state: nameIn({ over: 'above', under: 'not above', undecided: 'unknown' })
      .nullable()
      .meta({
        description: `How leq_db compares with the limit: \`over\`, \`under\`, or \`undecided\` where less than ${LEAST_MEASURED} % was measured, or only levels at the floor make it exceed the limit. Null without a calibration`,
      }),
  })
  .nullable()
  .meta({
    description:
      'The last whole night: the stretch of the limit that applies at midnight, or else of the one that begins latest; null without limits',
  });

export const StationOverview = z
  .object({
    name,
    path: z.string().meta({ description: 'Where its service is, such as `/stations/garden/`' }),
    place_name: z
      .string()
      .nullable()
      .meta({ description: 'What its place is called; null where it has no name' }),
    time_zone: z.string().nullable().meta({ description: 'The IANA time zone of the place' }),
    state,
    newest: Instant.nullable().meta({
      description:
        'Time of the newest point that is not dated a minute or more ahead; null where there is none',
    }),
    newest_age_seconds: z
      .number()
      .nullable()
      .meta({ description: 'How long ago that was, 0 where it lies ahead' }),
    level_db,
    leq_1h_db: level('Equivalent continuous level of the last hour as stored, dB'),
    scale: z
      .object(LevelScale.shape)
      .nullable()
      .meta({ description: 'What the levels are relative to; a newest point that is older counts too' }),
    limit_db: Limit.shape.limit_db
      .nullable()
      .meta({ description: 'The limit that applies now, on the calibrated scale; null where none does' }),
    night: Night,
    hours: z.array(z.number().nullable()).nullable().meta({
      description:
        'Leq of the last 24 hours that its clocks show as stored, dB, oldest first: the last is the hour that runs. Null where nothing was measured',
    }),
  })
  .meta({ id: 'StationOverview', description: 'A station, and how it is doing' });
export type StationOverview = z.infer<typeof StationOverview>;

const StationNow = z
  .object({
    name,
    time: Instant.nullable().meta({ description: 'Time of its newest point' }),
    level_db,
    state,
  })
  .meta({ id: 'StationNow', description: 'A station now' });
export type StationNow = z.infer<typeof StationNow>;

export const StationsOutput = z
  .object({ stations: z.array(StationOverview).meta({ description: 'The default one first, then by name' }) })
  .meta({
    id: 'Stations',
    description: 'The stations that the caller may ask',
    examples: [
      {
        stations: [
          {
            name: 'garden',
            path: '/stations/garden/',
            place_name: 'Elm Street 4, courtyard',
            time_zone: 'Europe/Vienna',
            state: 'recording',
            newest: '2026-01-02T11:59:59.900000Z',
            newest_age_seconds: 0.35,
            level_db: -42.3,
            leq_1h_db: -44.1,
            scale: EXAMPLE_SCALE,
            limit_db: 55,
            night: {
              from: '2026-01-01T21:00:00.000000Z',
              to: '2026-01-02T05:00:00.000000Z',
              leq_db: -52.9,
              limit_db: 45,
              measured_percent: 99.8,
              state: 'under',
            },
            hours: [...Array<null>(20).fill(null), -43.9, -45.2, -44.8, -44.1],
          },
        ],
      },
    ],
  });

export const StationsEvent = z
  .object({
    stations: z.array(StationNow).meta({ description: 'Those that changed; all in the first event' }),
  })
  .meta({
    id: 'StationsEvent',
    description: 'What an event of stations.live holds, as its data',
    examples: [
      {
        stations: [
          { name: 'garden', time: '2026-01-02T11:59:59.900000Z', level_db: -42.3, state: 'recording' },
        ],
      },
    ],
  });
export type StationsEvent = z.infer<typeof StationsEvent>;
