import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { type AppOptions, createApp } from '../../src/http/app.ts';
import { refreshRollups } from '../../src/rollups/refresh-rollups.ts';
import { startBackgroundChecks } from '../../src/telemetry/background-checks.ts';
import { createMetrics, type Metrics } from '../../src/telemetry/metrics.ts';
import { startSmallService } from '../client/embedded-service.ts';
import {
  describeEachLayout,
  describeServer,
  describeServerOnWire,
  type Engine,
  openForAll,
  type TestDatabase,
} from '../engines.ts';
import { noRollups } from '../no-rollups.ts';
import { hasPromtool, promtool } from '../promtool.ts';
import { ROW } from '../rows.ts';
import { insertPoints, ON_A_BUSY_MACHINE, startTestService } from '../service.ts';

const DAY = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z';

/** The value of a sample such as `up` or `requests{operation="x"}`, with labels in any order. */
async function sample(metrics: Metrics, name: string, labels: Record<string, string> = {}) {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const line = (await metrics.scrape())
    .split('\n')
    .find(
      (each) =>
        /^[^{ ]+/.exec(each)?.[0] === `audio_metrics_${name}` && wanted.every((w) => each.includes(w)),
    );
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1));
}

describe('The metrics of requests', () => {
  const metrics = createMetrics('test');
  const service = openForAll(() => startSmallService({ watchers: [metrics.watch] }));
  const calls = (operation: string, transport: string, status: string) =>
    sample(metrics, 'request_duration_seconds_count', { operation, transport, status });
  const points = (operation: string, transport: string) =>
    sample(metrics, 'response_points_total', { operation, transport });

  it('count calls by operation, transport and status, and the points sent', async () => {
    await service.get('/audio/latest?limit=2');
    await service.get('/audio/latest?limit=0');
    await service.get('/audio/nothing');
    await service.client.audio.latest.query({ limit: 3 });
    await service.get(`/export/csv?${DAY}`);
    expect(await calls('audio.latest', 'rest', '200')).toBe(1);
    expect(await calls('audio.latest', 'rest', '400')).toBe(1);
    expect(await calls('audio.latest', 'rpc', '200')).toBe(1);
    expect(await calls('unknown', 'none', '404')).toBe(1);
    expect(await points('audio.latest', 'rest')).toBe(2);
    expect(await points('audio.latest', 'rpc')).toBe(3);
    expect(await points('export.csv', 'rest')).toBe(3);
  });

  it('count each call of a batch by its own operation and status', async () => {
    const batch = 'events.loud,stats.summary,no.such?batch=1&input={"1":{"period":"x"}}';
    expect((await fetch(`${service.url}/trpc/${batch}`)).status).toBe(207);
    expect(await calls('events.loud', 'rpc', '200')).toBe(1);
    expect(await calls('stats.summary', 'rpc', '400')).toBe(1);
    expect(await calls('unknown', 'rpc', '404')).toBe(1);
    expect(await points('events.loud', 'rpc')).toBe(2);
    for await (const _ of await service.client.export.csv.query({ from: 'now-1h', to: 'now' }));
    expect(await calls('export.csv', 'rpc', '200')).toBe(1);
  });

  it('count sent bytes, but no points of an answer without a body', async () => {
    const sent = () =>
      sample(metrics, 'response_bytes_total', { operation: 'audio.range', transport: 'rest' });
    const first = await service.get(`/audio/range?${DAY}`);
    const body = await sent();
    expect(body).toBeGreaterThan(JSON.stringify(first.body).length);
    expect(await points('audio.range', 'rest')).toBe(3);
    const headers = { 'if-none-match': String(first.headers.get('etag')) };
    expect((await service.get(`/audio/range?${DAY}`, { headers })).status).toBe(304);
    expect((await service.get(`/audio/range?${DAY}`, { method: 'HEAD' })).status).toBe(200);
    expect(await points('audio.range', 'rest')).toBe(3);
    expect(await calls('audio.range', 'rest', '304')).toBe(1);
    expect(await sent()).toBeLessThan(3 * Number(body));
  });

  it('contain nothing that callers invented', async () => {
    await service.get('/audio/latest?limit=surprise');
    await service.get('/surprise');
    await fetch(`${service.url}/trpc/surprise,surprise?batch=1`);
    await fetch(`${service.url}/trpc/surprise?batch=surprise`);
    expect(await metrics.scrape()).not.toContain('surprise');
  });

  it('pass promtool', { skip: !hasPromtool }, async () => {
    const text = await metrics.scrape();
    expect(text).toContain('audio_metrics_request_duration_seconds_bucket');
    expect(promtool(['check', 'metrics'], text)).toEqual({ status: 0, output: '' });
    expect(promtool(['check', 'metrics'], '# TYPE a_total gauge\na_total 1\n').status).not.toBe(0);
  });
});

describe('The alerts', () => {
  it('pass promtool', { skip: !hasPromtool }, () => {
    const { status, output } = promtool(['check', 'rules', 'deploy/alerts.yml']);
    expect([status, output]).toEqual([0, expect.stringContaining('rules found')]);
  });

  it('use metrics that exist', async () => {
    const { metrics } = await watchedDouble({ query: async () => [] });
    const names = readFileSync('deploy/alerts.yml', 'utf8').match(/audio_metrics_\w+/g) ?? [];
    expect(names).not.toEqual([]);
    const text = await metrics.scrape();
    for (const name of names) expect(text).toContain(`# HELP ${name.replace(/_(count|bucket)$/, '')} `);
  });
});

/** Starts a service with metrics on a partial database. */
async function watchedDouble(double: Partial<Database>, limits: AppOptions['limits'] = {}) {
  const db = { ready: async () => {}, query: async () => [], ...double } as Database;
  const metrics = createMetrics('test');
  const app = await createApp({
    db,
    rollups: noRollups(),
    version: 'test',
    watchers: [metrics.watch],
    limits: { ...ON_A_BUSY_MACHINE, ...limits },
  });
  onTestFinished(() => app.close());
  return { metrics, url: await app.listen({ host: '127.0.0.1', port: 0 }) };
}

describe('The metrics of queued work', () => {
  it('count callers that share an answer, callers that leave, and running work', async () => {
    const answer = Promise.withResolvers<never>();
    const queried = Promise.withResolvers<AbortSignal | undefined>();
    const { metrics, url } = await watchedDouble({
      query: async (_statement, _values, signal) => {
        queried.resolve(signal);
        return answer.promise;
      },
    });
    const send = () => get(`${url}/api/v1/audio/latest`).on('error', () => {});
    const callers = [send(), send()];
    const signal = await queried.promise;
    const labels = { operation: 'audio.latest', transport: 'rest' };
    await expect.poll(() => sample(metrics, 'queries_coalesced_total')).toBe(1);
    expect(await sample(metrics, 'requests_in_flight', labels)).toBe(2);
    expect(await sample(metrics, 'queries_cancelled_total')).toBe(0);
    for (const caller of callers) caller.destroy();
    await expect.poll(() => sample(metrics, 'queries_cancelled_total')).toBe(1);
    answer.reject(signal?.reason);
    await expect
      .poll(() => sample(metrics, 'request_duration_seconds_count', { ...labels, status: '499' }))
      .toBe(2);
    expect(await sample(metrics, 'requests_in_flight', labels)).toBe(0);
  });

  it('count exports while they run, even if they break off', async () => {
    const more = Promise.withResolvers<void>();
    const { metrics, url } = await watchedDouble({
      async *copyOut() {
        yield ROW;
        await more.promise;
      },
    });
    const answer = await fetch(`${url}/api/v1/export/csv?${DAY}`);
    await expect.poll(() => sample(metrics, 'exports_running')).toBe(1);
    more.reject(new Error('The database is gone'));
    await expect(answer.text()).rejects.toThrow();
    await expect.poll(() => sample(metrics, 'exports_running')).toBe(0);
    expect(
      await sample(metrics, 'request_duration_seconds_count', { operation: 'export.csv', status: '499' }),
    ).toBe(1);
    expect(await sample(metrics, 'response_points_total', { operation: 'export.csv' })).toBe(1);
  });

  it('report for each class the running, waiting and refused calls, and how long calls waited', async () => {
    const more = Promise.withResolvers<void>();
    const copyOut = async function* () {
      yield ROW;
      await more.promise;
    };
    const { metrics, url } = await watchedDouble({ copyOut }, { exportSlots: 1, maxWaiting: 1 });
    const send = async () => {
      const answer = await fetch(`${url}/api/v1/export/csv?${DAY}`);
      await answer.text();
      return answer.status;
    };
    const of = (name: string, kind = 'exports') => sample(metrics, name, { class: kind });
    const answers = [send()];
    await expect.poll(() => of('slots_in_use')).toBe(1);
    expect(await of('queue_wait_seconds_count')).toBe(1);
    answers.push(send());
    await expect.poll(() => of('queue_length')).toBe(1);
    expect(await send()).toBe(503);
    expect(await of('queue_refused_total')).toBe(1);
    expect(await of('queue_wait_seconds_count')).toBe(1);
    more.resolve();
    expect(await Promise.all(answers)).toEqual([200, 200]);
    await expect.poll(() => of('slots_in_use')).toBe(0);
    expect([await of('queue_length'), await of('queue_wait_seconds_count')]).toEqual([0, 2]);
    expect(await of('queue_wait_seconds_sum')).toBeGreaterThan(0);
    for (const name of ['slots_in_use', 'queue_length', 'queue_refused_total', 'queue_wait_seconds_count'])
      expect(await of(name, 'heavy')).toBe(0);
  });

  it('do not wait for a hanging database, and report it as down', async () => {
    const never = new Promise<never>(() => {});
    let queries = 0;
    const query = () => {
      queries++;
      return never;
    };
    const { metrics } = await watchedDouble({ query, ready: () => never });
    expect(await sample(metrics, 'database_up')).toBe(0);
    expect(await sample(metrics, 'newest_point_age_seconds')).toBeUndefined();
    expect(queries).toBe(1); // no query queues behind the first
  });
});

async function watched(
  engine: Engine,
  {
    latest,
    open,
  }: { latest?: Parameters<typeof createMetrics>[1]; open?: Parameters<Engine['open']>[0] } = {},
) {
  const metrics = createMetrics('test', latest);
  const service = await startTestService(engine, { watchers: [metrics.watch], clock: Date.now }, open);
  onTestFinished(() => service.close());
  return { metrics, service };
}

/** An engine that lends one open database, which stays open. */
const lending = (engine: Engine, database: TestDatabase): Engine => ({
  ...engine,
  open: async () => ({ ...database, close: async () => {} }),
});

describeEachLayout('The metrics of the database and its policies', (engine) => {
  const database = openForAll(() => engine.open());
  beforeEach(async () => {
    await database.sql('truncate audio_data');
    await refreshRollups(database.sql, 100_000);
  });
  const here = () => lending(engine, database);

  it('report the age of the newest point, ignoring future points', async () => {
    const { metrics, service } = await watched(here());
    const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
    await service.sql(
      insertPoints([
        [at(-3600), -1, 100],
        [at(-100), -1, 100],
        [at(7200), -1, 100],
      ]),
    );
    await expect.poll(() => sample(metrics, 'database_up')).toBe(1);
    const age = await sample(metrics, 'newest_point_age_seconds');
    expect(age).toBeGreaterThanOrEqual(99);
    expect(age).toBeLessThan(3600);
    expect(await sample(metrics, 'rollups_in_use')).toBe(1);
    expect(await sample(metrics, 'rollups_unused_info', { reason: 'none' })).toBeUndefined();
  });

  it('have no age of the newest point if there is none', async () => {
    const { metrics } = await watched(here());
    expect(await sample(metrics, 'newest_point_age_seconds')).toBeUndefined();
    expect(await sample(metrics, 'database_up')).toBe(1);
  });

  it('report how late the rollups are, the state of jobs, and the number of future points', async () => {
    let checks: ReturnType<typeof startBackgroundChecks> | undefined;
    const { metrics, service } = await watched(here(), { latest: () => checks?.latest() });
    const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
    await service.sql(
      insertPoints([
        [at(-10), -1, 100],
        [at(5), -1, 100],
        [at(9), -1, 100],
      ]),
    );
    checks = startBackgroundChecks(service.db, { warn() {} });
    onTestFinished(checks.stop);
    expect(await sample(metrics, 'future_points')).toBeUndefined();
    await checks.check();
    expect(await sample(metrics, 'future_points')).toBe(2);
    const labels = { procedure: 'policy_refresh_continuous_aggregate', relation: 'audio_data_1min' };
    const none = engine.name === 'TimescaleDB' ? 0 : undefined;
    expect(await sample(metrics, 'job_failures_total', labels)).toBe(none);
    expect(await sample(metrics, 'rollup_minutes_waiting')).toBe(3);
    await refreshRollups(service.sql, 100_000);
    await checks.check();
    expect(await sample(metrics, 'rollup_minutes_waiting')).toBe(0);
  });
});

it('The metrics of jobs report their failures, and the time of their last success', async () => {
  const job = {
    jobId: 1,
    procedure: 'policy_retention',
    relation: 'audio_data',
    deletesPoints: false,
    failing: true,
    lastSuccess: new Date(Date.now() - 3_600_000).toISOString(),
    failures: 7,
    message: null,
  };
  const never = { ...job, procedure: 'policy_compression', lastSuccess: null };
  const metrics = createMetrics('test', () => ({
    jobs: [job, never],
    ahead: { count: 0, newest: null },
    refresh: null,
  }));
  const of = (name: string, { procedure, relation }: Record<'procedure' | 'relation', string>) =>
    sample(metrics, name, { procedure, relation });
  expect(await of('job_failures_total', job)).toBe(7);
  expect(await of('job_failures_total', never)).toBe(7);
  const age = await of('job_last_success_age_seconds', job);
  expect(age).toBeGreaterThanOrEqual(3600);
  expect(age).toBeLessThan(7200);
  expect(await of('job_last_success_age_seconds', never)).toBeUndefined();
  expect(await sample(metrics, 'future_points')).toBe(0);
});

describeServerOnWire('The metrics of connections', (engine) => {
  it('report how many connections are in use, and how many queries wait', async () => {
    const { metrics, service } = await watched(engine, { open: { poolSize: 1, poolWaitMs: 60_000 } });
    const connections = (state: string) => sample(metrics, 'pool_connections', { pool: 'queries', state });
    expect(await sample(metrics, 'pool_max_connections', { pool: 'queries' })).toBe(1);
    await service.get('/audio/latest');
    expect([await connections('in_use'), await connections('idle')]).toEqual([0, 1]);
    await service.sql('begin; lock table audio_data');
    const answers = [service.get('/audio/latest?limit=1'), service.get('/audio/latest?limit=2')];
    await expect.poll(() => sample(metrics, 'pool_waiting', { pool: 'queries' })).toBe(1);
    expect(await connections('in_use')).toBe(1);
    await service.sql('commit');
    await Promise.all(answers);
    expect(await sample(metrics, 'pool_waiting', { pool: 'queries' })).toBe(0);
  });
});

describeServer('timescale', 'The metrics of rollups', (engine) => {
  it('report why rollups are not in use', async () => {
    const { metrics, service } = await watched(engine);
    await service.sql('alter table audio_data disable trigger audio_data_note_wait');
    expect(await sample(metrics, 'rollups_in_use')).toBe(0);
    expect(await sample(metrics, 'rollups_unused_info', { reason: 'unnoted' })).toBe(1);
  });
});
