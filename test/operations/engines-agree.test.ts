// Every query has the same answer on all engines, so wire tests need only one.

import { describe, expect, it } from 'vitest';
import { refreshRollups } from '../../src/rollups/refresh-rollups.ts';
import { citus, type Engine, engineOfWire, engines, openForAll } from '../engines.ts';
import { limitOf } from '../limits.ts';
import { needs } from '../needs.ts';
import { startTestService, type TestService } from '../service.ts';
import { genericRequests } from './generic-requests.ts';

const LIMITS = [limitOf('06:00', '22:00', 55), limitOf('22:00', '06:00', 45)];

/** Three days with gaps, two spacings, duplicates, nulls and two scales. Points of the last hour, and future points. */
const STORED = [
  `insert into audio_data (time, rms_db, frequency_hz, is_silence)
    select '2026-02-25Z'::timestamptz + n * interval '1 min', nullif(-(n * 7919 % 501) / 10.0, -9.7)::real,
      nullif(100 + n * 31 % 7901, 131), n % 7 = 0
    from generate_series(0, 4319) n where n not between 1000 and 1066`,
  `insert into audio_data (time, rms_db, frequency_hz)
    select '2026-02-27 12:00Z'::timestamptz + n * interval '20 ms', -(n * 13 % 300) / 10.0, 440 from generate_series(1, 1000) n`,
  `insert into audio_data (time, rms_db, frequency_hz)
    select '2026-03-01 11:00Z'::timestamptz + n * interval '2 s', -(n * 7 % 500) / 10.0, 100 + n % 300 from generate_series(0, 1815) n`,
  `insert into audio_data select * from audio_data where time < '2026-02-25 02:00Z'`,
  `insert into audio_data_periods (since, weighting, reference_db, interval_ms)
    values ('2026-02-27Z', 'A', 85, 60000), ('2026-02-28Z', 'A', 85, 1000)`,
];

async function open(engine: Engine): Promise<TestService> {
  const site = { calibrationOffsetDb: 85, limits: LIMITS };
  const service = await startTestService(engine, { site });
  for (const text of STORED) await service.sql(text);
  await refreshRollups(service.sql, 100_000);
  return service;
}

const DAYS = 'from=2026-02-25T06:00:00.5Z&to=2026-02-28T12:00:00Z';
const FIRST = 'from=2026-02-25T00:00:00Z&to=2026-02-26T18:00:00Z';
const SECOND = 'from=2026-02-27T00:00:00Z&to=2026-03-01T12:00:00Z';
const HOUR = 'from=now-1h&to=now';
const VIENNA = 'time_zone=Europe/Vienna';

/** A request of each operation over the second interval. service.info differs, because it names the database. */
const GENERIC = genericRequests(Object.fromEntries(new URLSearchParams(SECOND))).flatMap(({ name, path }) =>
  name === 'service.info' ? [] : [path],
);

const PATHS = [
  ...GENERIC,
  '/audio/latest?limit=500',
  `/audio/range?${DAYS}&limit=4000`,
  `/audio/range?${FIRST}&limit=10000`,
  ...[DAYS, SECOND].flatMap((interval) => [
    `/stats/summary?${interval}`,
    `/stats/series?${interval}&exceeded_levels=include`,
    `/events/list?${interval}&threshold=-3`,
  ]),
  ...['10s', '24h', '30d'].map((period) => `/stats/summary?period=${period}`),
  `/stats/series?${DAYS}&bucket=1d&${VIENNA}`,
  `/stats/series?${DAYS}&bucket=1h&time_zone=Asia/Kathmandu`,
  `/stats/series?${HOUR}&exceeded_levels=include`,
  `/stats/quality?${HOUR}`,
  `/stats/days?${DAYS}&${VIENNA}`,
  `/stats/distribution?${DAYS}&step=0.1`,
  `/stats/why?${SECOND}&limits=06-22=50,22-06=40&${VIENNA}`,
  `/events/series?${DAYS}&threshold=-3`,
  `/events/top?${DAYS}&threshold=-3`,
  `/events/top?${SECOND}&by=duration`,
  `/events/loud?${DAYS}&threshold=-1`,
  `/events/list?${FIRST}&threshold=-3`,
  `/stats/frequencies?${DAYS}&bucket=6h`,
  `/stats/limits?${DAYS}&limits=06-22=50,22-06=40&events=true&${VIENNA}`,
  `/stats/quality?${DAYS}&min_gap_seconds=60`,
  `/stats/quality?from=2026-01-01T00:00:00Z&to=2026-04-01T00:00:00Z`,
  `/events/list?${SECOND}&above_background=20&hysteresis=3&hold_seconds=30&limit=50`,
  `/events/series?${SECOND}&above_background=20&bucket=1d&${VIENNA}`,
  '/events/list?limit=5',
  '/events/loud?limit=20',
  `/export/csv?${FIRST}`,
];

/** Compares levels only to 8 decimals, because engines may add them in a different order. */
function near(body: unknown): unknown {
  if (typeof body === 'number') return Number.isInteger(body) ? body : expect.closeTo(body, 8);
  if (Array.isArray(body)) return body.map(near);
  if (body === null || typeof body !== 'object') return body;
  return Object.fromEntries(Object.entries(body).map(([key, value]) => [key, near(value)]));
}

const wire = engineOfWire();
const [first, ...others] = [wire, ...[...engines, citus].filter(({ name }) => name !== wire.name)];

describe(`The answers of ${first.name}`, needs(first.name, first.available), () => {
  const service = openForAll(() => open(first));
  const answers = new Map<string, ReturnType<TestService['get']>>();
  const answerTo = (path: string) => answers.get(path) ?? answers.set(path, service.get(path)).get(path);

  it.each(PATHS)('count points: %s', async (path) => {
    const answer = await answerTo(path);
    expect(answer?.status).toBe(200);
    expect(answer?.body).not.toMatchObject({ point_count: 0 });
  });

  for (const engine of others)
    describe(`and the answers of ${engine.name}`, needs(engine.name, engine.available), () => {
      const other = openForAll(() => open(engine));

      it.each(PATHS)('are equal: %s', async (path) => {
        const [wanted, { status, body }] = await Promise.all([answerTo(path), other.get(path)]);
        expect(status).toBe(200);
        expect(body).toEqual(near(wanted?.body));
      });
    });
});
