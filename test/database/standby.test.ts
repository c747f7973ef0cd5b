// The service on a standby: a read-only streaming replica.
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { maintainServer } from '../../src/cli/maintain.ts';
import { migrate } from '../../src/cli/migrate.ts';
import type { Database } from '../../src/database/database.ts';
import { runOnClient } from '../../src/database/session.ts';
import { refreshRollups } from '../../src/rollups/refresh-rollups.ts';
import { refreshState } from '../../src/rollups/rollup-backlog.ts';
import { startCluster, timescaleSettings } from '../cluster.ts';
import { connect, createDatabase, statement } from '../engines.ts';
import { environmentOf } from '../environment.ts';
import { call } from '../in-process.ts';
import { needs } from '../needs.ts';
import { createTestApp, insertPoints } from '../service.ts';

const timescale = inject('timescale');
const server = timescale ?? inject('postgres');

describe('On a standby', needs('PostgreSQL', server), () => {
  const closers: (() => Promise<unknown>)[] = [];
  let primary: Awaited<ReturnType<typeof connect>>;
  let standby: Awaited<ReturnType<typeof connect>>;
  let standbyUrl: string;
  let onPrimary: { app: FastifyInstance; db: Database };
  let onStandby: { app: FastifyInstance; db: Database };

  async function service(url: string) {
    const created = await createTestApp(url);
    closers.push(() => created.app.close());
    return created;
  }

  /** Gives the standby a vacuum to replay, which conflicts with every running read. */
  async function removeRows() {
    await primary.query('insert into churn values (1)');
    await primary.query('delete from churn');
    await primary.query('vacuum churn');
  }

  async function conflicts(): Promise<number> {
    const { rows } = await standby.query(
      'select confl_snapshot::int as n from pg_stat_database_conflicts where datname = current_database()',
    );
    return rows[0].n;
  }

  beforeAll(async () => {
    if (!server) return;
    const { url, drop } = await createDatabase(server, server.template);
    primary = await connect(url);
    closers.push(drop, () => primary.end());
    await primary.query('create table churn (n int)');
    const settings = { max_standby_streaming_delay: '0', hot_standby_feedback: 'off' };
    const cluster = await startCluster(
      inject('postgresBin') ?? '',
      { ...(timescale && timescaleSettings), ...settings },
      url,
    );
    closers.push(() => cluster.stop());
    const own = new URL(cluster.url);
    own.pathname = new URL(url).pathname;
    standbyUrl = own.href;
    standby = await connect(standbyUrl);
    closers.push(() => standby.end());
    onPrimary = await service(url);
    const there = await service(standbyUrl);
    onStandby = there;
    if (timescale) expect(await there.rollups.inUse()).toBe(true);
  });
  afterAll(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  it('every operation answers as on its primary', async () => {
    await primary.query('set synchronous_commit = local'); // so that the commit is written, with a log position to wait for
    await primary.query(
      insertPoints([
        ['2026-01-01T00:00:00.000001Z', -9.34, 440],
        ['2026-03-01T11:59:59Z', null, null, true],
        ['2026-03-01T11:59:58Z', -5, 8000],
      ]),
    );
    const { rows } = await primary.query('select pg_current_wal_lsn() as written');
    const replayed = async () =>
      (await standby.query('select pg_last_wal_replay_lsn() >= $1 as it', [rows[0].written])).rows[0].it;
    await expect.poll(replayed).toBe(true);
    for (const path of [
      '/health/ready',
      '/audio/latest',
      '/audio/range?from=2026-01-01T00:00:00Z&to=now',
      '/service/info',
      '/stats/summary',
      '/stats/summary?period=30d',
      '/stats/series?from=now-7d&to=now&bucket=1h',
      '/events/loud?threshold=-20',
      '/export/csv?from=2026-01-01T00:00:00Z&to=now',
    ]) {
      const [here, there] = [
        await onPrimary.app.inject(`/api/v1${path}`),
        await onStandby.app.inject(`/api/v1${path}`),
      ];
      expect([there.statusCode, there.body], path).toEqual([200, here.body]);
    }
  });

  it('a service sees whether its primary refreshes the rollups', async () => {
    const watch = () => refreshState(onStandby.db);
    await primary.query('update audio_data_refreshes set refreshed_at = now()');
    await expect.poll(watch).toMatchObject({ state: 'current', minutes_waiting: 2 });
    await primary.query(`update audio_data_refreshes set refreshed_at = '2026-01-01Z'`);
    await expect.poll(watch).toMatchObject({ state: 'stalled', last_refresh: '2026-01-01T00:00:00.000000Z' });
    await refreshRollups(runOnClient(primary), 1000);
    await expect.poll(async () => (await watch())?.state).toBe('current');
  });

  it('a query that a recovery conflict cancels is retried', async () => {
    const before = await conflicts();
    await standby.query('select pg_advisory_lock(1)');
    const pending = onStandby.db.query(statement('select 1 as n from pg_advisory_xact_lock_shared(1)'));
    const started = async () =>
      (
        await standby.query(`select query_start::text from pg_stat_activity where query like '%xact_lock_shared(1)%'
        and state = 'active' and pid <> pg_backend_pid()`)
      ).rows[0]?.query_start;
    await expect.poll(started).toBeDefined();
    const first = await started();
    await removeRows();
    await expect.poll(started).not.toBe(first); // it was cancelled, and perhaps sent again
    await standby.query('select pg_advisory_unlock(1)');
    expect(await pending).toEqual([{ n: 1 }]);
    await expect.poll(conflicts).toBeGreaterThan(before);
  });

  it('is 503 if conflicts do not end', async () => {
    let over = false;
    const pending = onStandby.db
      .query(statement('select pg_sleep(10)'))
      .finally(() => {
        over = true;
      })
      .catch((error) => error);
    while (!over) await removeRows();
    expect(await pending).toMatchObject({ code: 'SERVICE_UNAVAILABLE', cause: { code: '40001' } });
    expect(await onStandby.db.query(statement('select 1 as n'))).toEqual([{ n: 1 }]);
  });

  it('maintain logs that it has nothing to do', async () => {
    const { environment, output, end } = environmentOf({ DATABASE_URL: standbyUrl }, 'info');
    const running = maintainServer(environment);
    await expect.poll(output).toContain('This server is read-only, as a standby is');
    end();
    await running;
    expect(output().trimEnd().split('\n')).toHaveLength(1);
  });

  it('migrate and import name the primary as what to use', async () => {
    const wanted = 'This server is read-only, as a standby is: set DATABASE_URL';
    await expect(migrate({ url: standbyUrl })).rejects.toThrow(wanted);
    const command = call(['import', '-'], { DATABASE_URL: standbyUrl });
    command.write('time,rms_db,frequency_hz,is_silence\n2026-01-01T00:00:00Z,-20,440,false\n');
    expect(await command.ended).toBeInstanceOf(Error);
    expect(command.output()).toContain(wanted);
  });

  it('an export that a conflict cancels breaks off', async () => {
    const read = async () => {
      const rows = onStandby.db.copyOut?.(statement('select generate_series(1, 100000000)'), {});
      for await (const _ of rows ?? []) await removeRows();
    };
    await expect(read()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', cause: { code: '40001' } });
  });
});
