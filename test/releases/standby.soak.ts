// A service on a standby reads points while its primary is migrated, and rollups afterwards.
import { expect, inject, it } from 'vitest';
import { migrate } from '../../src/cli/migrate.ts';
import { startCluster, timescaleSettings } from '../cluster.ts';
import { arrangements } from '../database/arrangements.ts';
import { describeEachServer } from '../engines.ts';
import { createTestApp } from '../service.ts';
import { applyFirst, OLDEST } from './migrations.ts';

const { closers, database, session } = arrangements();
const PATHS = [
  '/audio/latest',
  '/audio/range?from=2026-02-27T00:00:00Z&to=now',
  '/stats/summary?period=30d',
  '/stats/summary?from=2026-02-26T00:00:00Z&to=now',
  '/stats/series?from=now-7d&to=now&bucket=1h',
  '/stats/days?from=now-7d&to=now',
  '/stats/distribution?from=now-7d&to=now',
  '/stats/frequencies?from=now-7d&to=now',
  '/stats/quality?from=now-7d&to=now',
  '/stats/limits?from=now-7d&to=now&limits=06-22=66',
  '/events/loud?threshold=-20',
  '/events/list?threshold=-20&to=now',
  '/events/top?threshold=-20&from=now-7d&to=now',
  '/export/csv?from=2026-02-27T00:00:00Z&to=now',
];

describeEachServer('A standby', (engine, server) => {
  it('with the oldest schema answers while its primary is migrated', { timeout: 120_000 }, async () => {
    const { url, owner } = await database(server);
    const isTimescale = engine.name === 'TimescaleDB';
    if (isTimescale) await owner.query('create extension timescaledb');
    await owner.query(`set audio_metrics.timescaledb = '${isTimescale ? 'on' : 'off'}'`);
    await applyFirst(OLDEST, (text) => owner.query(text));
    await owner.query(`insert into audio_data
      select '2026-03-01T12:00Z'::timestamptz - n * interval '60 s', nullif(-(n * 7 % 500) / 10.0, -49.9),
        case when n % 11 > 0 then 100 + n * 13 % 7900 end, n % 5 = 0
      from generate_series(1, 4320) n`);
    const settings = isTimescale ? timescaleSettings : {};
    const cluster = await startCluster(inject('postgresBin') ?? '', settings, url);
    closers.push(() => cluster.stop());
    const own = Object.assign(new URL(cluster.url), { pathname: new URL(url).pathname }).href;
    const standby = await session(own);
    async function service() {
      const { app, rollups } = await createTestApp(own);
      closers.push(() => app.close());
      const get = async (path: string) => {
        const { statusCode, body } = await app.inject(`/api/v1${path}`);
        return statusCode === 200 ? rounded(body) : [statusCode, JSON.parse(body).detail];
      };
      return { get, all: () => Promise.all(PATHS.map(get)), rollups };
    }
    const { get, all } = await service();
    const older = [503, expect.stringMatching(/schema of an older version.*`npm run migrate`/)];
    expect(await get('/health/ready')).toEqual(older);
    const answers = await all();
    expect(answers).toEqual(PATHS.map(() => expect.any(String)));

    let isDone = false;
    const migrated = migrate({ url }).finally(() => {
      isDone = true;
    });
    while (!isDone) expect(await all()).toEqual(answers);
    await migrated;
    const { rows } = await owner.query('select pg_current_wal_insert_lsn() as written');
    const replayed = () => standby.query('select pg_last_wal_replay_lsn() >= $1 as it', [rows[0].written]);
    await expect.poll(async () => (await replayed()).rows, { timeout: 20_000 }).toEqual([{ it: true }]);
    expect([await get('/health/ready'), await all()]).toEqual(['{"status":"ok"}', answers]);
    const started = await service();
    expect(await started.rollups.inUse()).toBe(true);
    expect(await started.all()).toEqual(answers);
  });
});

/** Rounds figures, because the last digits of power sums depend on the order of points. */
const rounded = (body: string) => body.replaceAll(/-?\d+\.\d{9,}/g, (number) => Number(number).toFixed(8));
