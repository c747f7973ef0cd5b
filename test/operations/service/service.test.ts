import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { measurementOf } from '../../../src/contract/station.ts';
import { openPostgres } from '../../../src/database/postgres.ts';
import { createRollups } from '../../../src/rollups/store.ts';
import { arrangements } from '../../database/arrangements.ts';
import { describeEachEngine, describeEachServer } from '../../engines.ts';
import { limitOf } from '../../limits.ts';
import { insertPoints, startBeside, startTestService, type TestService } from '../../service.ts';

const NO_RECORD = measurementOf(null);
const RECORD = { ...NO_RECORD, position: 'Window sill', height_m: 4.5, microphone: 'UMIK-1, 7001234' };

describeEachEngine('service.info', (engine) => {
  const isTimescale = engine.name === 'TimescaleDB';
  let service: TestService;
  let calibrated: TestService;
  let database: string;
  beforeAll(async () => {
    service = await startTestService(engine);
    calibrated = await startBeside(service, {
      site: {
        name: 'Elm Street 4',
        timeZone: 'Europe/Vienna',
        limits: [limitOf('22:00', '06:00', 45)],
        calibrationOffsetDb: 120.25,
        assess: 'hour',
        uncertaintyDb: 2.5,
        minMeasuredPercent: 75,
        measurement: RECORD,
      },
    });
    const [{ server, timescale }] = await service.sql(
      `select split_part(current_setting('server_version'), ' ', 1) as server,
        (select extversion from pg_extension where extname = 'timescaledb') as timescale`,
    );
    database = {
      PGlite: `PGlite (PostgreSQL ${server})`,
      PostgreSQL: `PostgreSQL ${server}`,
      TimescaleDB: `PostgreSQL ${server}, TimescaleDB ${timescale}`,
      Citus: `PostgreSQL ${server}`,
    }[engine.name];
  });
  afterAll(async () => {
    await calibrated.close();
    await service.close();
  });
  beforeEach(() => service.sql('truncate audio_data'));

  const info = async () => (await service.get('/service/info')).body;

  it('describes itself, and has no times without points', async () => {
    const { status, body } = await service.get('/service/info');
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        version: 'test',
        database,
        layout: isTimescale ? 'hypertable' : 'plain',
        rollups: 'in use',
        rollup_refresh: {
          ...{ state: 'current', minutes_waiting: 0, oldest_waiting: null },
          last_refresh: expect.any(String),
        },
        oldest: null,
        newest: null,
        newest_age_seconds: null,
        ahead_count: 0,
        ahead_until: null,
        points_since: null,
        history_since: null,
        state: 'empty',
        raw_retention: null, // it is off (databases.ts)
        history_retention: '10 years',
        aggregate_retention: isTimescale ? '5 years' : null,
        place_name: null,
        time_zone: 'UTC',
        limits: [],
        calibration_offset_db: null,
        assess: 'part',
        uncertainty_db: null,
        min_measured_percent: 90,
        measurement: NO_RECORD,
        calibrations: [],
        periods: [],
        recorder: null,
      },
    });
  });

  it('returns the oldest, the newest and a future point to the microsecond, in any order of storage', async () => {
    await service.sql(
      insertPoints([
        ['2026-02-01T00:00:00.000001Z', -1, 100],
        ['2025-12-31T23:59:59.999999Z', null, null],
        ['2027-06-01T12:00:00.5Z', -1, 100],
        ['2026-03-01T12:00:00Z', -1, 100],
      ]),
    );
    expect(await info()).toMatchObject({
      oldest: '2025-12-31T23:59:59.999999Z',
      newest: '2027-06-01T12:00:00.500000Z',
    });
  });

  it('decides the recording state by the newest point that is less than a minute ahead', async () => {
    const points = (from: string, to: string, step: string) =>
      service.sql(`insert into audio_data (time, rms_db) select time, -20
        from generate_series('${from}'::timestamptz, '${to}', interval '${step}') as time`);
    await service.sql(insertPoints([['2027-06-01T12:00:00Z', -1, 100]]));
    expect(await info()).toMatchObject({ newest_age_seconds: null, state: 'empty' });
    await points('2026-02-20T11:30:00Z', '2026-02-20T12:00:00Z', '10 s');
    expect(await info()).toMatchObject({ newest_age_seconds: 777_600.5, state: 'offline' });
    await points('2026-03-01T11:58:00Z', '2026-03-01T11:59:20Z', '1 s');
    expect(await info()).toMatchObject({ newest_age_seconds: 40.5, state: 'recording' }); // the spacing is 10 s
    await points('2026-03-01T10:00:00Z', '2026-03-01T11:00:00Z', '1 s');
    expect(await info()).toMatchObject({ newest_age_seconds: 40.5, state: 'offline' });
    await points('2026-03-01T11:59:51Z', '2026-03-01T11:59:51Z', '1 s');
    expect(await info()).toMatchObject({ newest_age_seconds: 9.5, state: 'recording' });
    await points('2026-03-01T12:00:59Z', '2026-03-01T12:00:59Z', '1 s');
    expect(await info()).toMatchObject({ newest_age_seconds: 0, state: 'recording' });
  });

  it('counts and names the points dated a minute or more ahead', async () => {
    const none = { ahead_count: 0, ahead_until: null };
    await service.sql(insertPoints([['2026-03-01T12:01:00.499999Z', -1, 100]]));
    expect(await info()).toMatchObject({ ...none, newest_age_seconds: 0, state: 'recording' });
    await service.sql(
      insertPoints([
        ['2026-03-01T12:01:00.5Z', -1, 100],
        ['2034-05-01T00:00:00Z', -1, 100],
      ]),
    );
    expect(await info()).toMatchObject({
      newest: '2034-05-01T00:00:00.000000Z',
      newest_age_seconds: 0,
      ahead_count: 2,
      ahead_until: '2034-05-01T00:00:00.000000Z',
      state: 'recording',
    });
    await service.sql(`delete from audio_data where time > '2026-03-02Z'`);
    expect(await info()).toMatchObject({ ahead_count: 1, ahead_until: '2026-03-01T12:01:00.500000Z' });
    await service.sql(
      `insert into audio_data select '2030-01-01Z', -1, 440, false from generate_series(1, 1200)`,
    );
    expect(await info()).toMatchObject({ ahead_count: 1000, ahead_until: '2030-01-01T00:00:00.000000Z' });
  });

  it('reports a running recorder as silent if no point arrives', async () => {
    const since = '2026-03-01T11:00:00.000000Z';
    const recorder = { running: true, since, restarts: 0, last_exit: null };
    const recording = await startBeside(service, { recorderOf: () => recorder });
    const silent = (await recording.get('/service/info')).body;
    expect(silent).toMatchObject({ newest_age_seconds: null, state: 'silent_recorder', recorder });
    await service.sql(insertPoints([['2026-03-01T12:00:00Z', -1, 100]]));
    const { body } = await recording.get('/service/info');
    expect(body).toMatchObject({ newest_age_seconds: 0.5, state: 'recording' });
    await recording.close();
  });

  it('finds the oldest point even if the first chunks, or all but the last, are empty', async () => {
    await service.sql(`insert into audio_data (time, rms_db)
      select '2025-01-01Z'::timestamptz + n * interval '1 day', -20 from generate_series(0, 99) n`);
    for (const [before, oldest] of [
      ['2025-01-02T12:00:00Z', '2025-01-03T00:00:00.000000Z'],
      ['2025-01-20T00:00:00Z', '2025-01-20T00:00:00.000000Z'],
      ['2025-04-10T00:00:00Z', '2025-04-10T00:00:00.000000Z'],
    ]) {
      await service.sql(`delete from audio_data where time < '${before}'`);
      expect(await info()).toMatchObject({ oldest, newest: '2025-04-10T00:00:00.000000Z' });
    }
    await service.sql('delete from audio_data');
    expect(await info()).toMatchObject({ oldest: null, newest: null });
  });

  it('leaves out times that RFC 3339 cannot express', async () => {
    const points = ['0044-03-15Z BC', '2026-01-01Z', '20000-01-01Z'].filter(
      (_, n) => n === 1 || !isTimescale,
    );
    for (const time of points) await service.sql(`insert into audio_data (time) values ('${time}')`);
    const only = '2026-01-01T00:00:00.000000Z';
    expect(await info()).toMatchObject({ oldest: only, newest: only });
  });

  it('returns the configured place, limits and offset, on both transports', async () => {
    const { body } = await calibrated.get('/service/info');
    expect(body).toMatchObject({
      place_name: 'Elm Street 4',
      time_zone: 'Europe/Vienna',
      limits: [limitOf('22:00', '06:00', 45)],
      calibration_offset_db: 120.25,
      assess: 'hour',
      uncertainty_db: 2.5,
      min_measured_percent: 75,
      measurement: RECORD,
    });
    expect(await calibrated.client.service.info.query()).toEqual(body);
  });

  it('lists calibration checks, newest first, with the drift of each channel', async () => {
    await service.sql(`insert into audio_data_calibrations values
      ('2026-01-01Z', 94, 1000, 120.11, 'mean'), ('2026-01-02Z', 94, 1000, 118, '1'), ('2026-02-01Z', 94, 1000, 120.01, 'mean')`);
    const check = { level_db: 94, frequency_hz: 1000 };
    expect((await info()).calibrations).toEqual([
      { time: '2026-02-01T00:00:00.000000Z', ...check, offset_db: 120.01, channel: 'mean', drift_db: -0.1 },
      { time: '2026-01-02T00:00:00.000000Z', ...check, offset_db: 118, channel: '1', drift_db: null },
      { time: '2026-01-01T00:00:00.000000Z', ...check, offset_db: 120.11, channel: 'mean', drift_db: null },
    ]);
    await service.sql('truncate audio_data_calibrations');
  });
});

describe('service.info', () => {
  const { closers, empty } = arrangements();

  describeEachServer('for a role that only reads', (engine, server) => {
    const isTimescale = engine.name === 'TimescaleDB';

    async function arranged(settings: Parameters<Awaited<ReturnType<typeof empty>>['run']>[0]) {
      const { url, name, owner, run } = await empty(server);
      const role = `reader_${name}`;
      await owner.query(`create role ${role} login`);
      closers.push(() => owner.query(`drop owned by ${role} cascade; drop role ${role}`));
      await run({ readerRole: role, ...settings });
      /** The answer of a service whose role is the owner, or the reader. */
      const infoFor = async (username?: string) => {
        const as = Object.assign(new URL(url), username && { username }).href;
        const db = openPostgres({
          url: as,
          poolWaitMs: 20_000,
          queryTimeoutMs: 10_000,
          exportTimeoutMs: 10_000,
        });
        const close = () => db.close();
        const open = async () => ({ db, rollups: createRollups(db), sql: async () => [], url, close });
        const service = await startTestService({ name: engine.name, available: true, open });
        closers.push(() => service.close());
        return (await service.get('/service/info')).body;
      };
      return { owner, role, infoFor };
    }

    it('shows everything that the owner sees', async () => {
      const { owner, role, infoFor } = await arranged({
        rawRetention: '2 months',
        aggregateRetention: 'off',
      });
      await owner.query(insertPoints([['2026-02-01T00:00:00Z', -1, 100]]));
      const info = await infoFor(role);
      expect(info).toEqual(await infoFor());
      expect(info).toMatchObject({
        rollups: 'in use',
        rollup_refresh: { minutes_waiting: 1, oldest_waiting: '2026-02-01T00:00:00.000000Z' },
        oldest: '2026-02-01T00:00:00.000000Z',
        raw_retention: '2 mons',
        aggregate_retention: null,
      });
    });

    it('omits a disabled retention, reports why rollups are unused, and hides what it may not read', async () => {
      const { owner, role, infoFor } = await arranged({});
      await owner.query(`update audio_data_refreshes set raw_retention = 'off'`);
      expect(await infoFor(role)).toMatchObject({
        raw_retention: null,
        aggregate_retention: isTimescale ? '5 years' : null,
      });
      await owner.query(`revoke select on audio_data_refreshes from ${role}`);
      if (isTimescale) await owner.query('revoke select on timescaledb_information.jobs from public');
      expect(await infoFor(role)).toMatchObject({
        layout: isTimescale ? 'hypertable' : 'plain',
        rollups: 'forbidden',
        rollup_refresh: null,
        raw_retention: null,
        aggregate_retention: null,
      });
    });
  });
});
