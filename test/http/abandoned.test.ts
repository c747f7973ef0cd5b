// If all callers of a query leave, its statements are cancelled.
import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Watcher } from '../../src/http/request-accounting.ts';
import { describeServerOnWire } from '../engines.ts';
import { genericRequests } from '../operations/generic-requests.ts';
import { insertPoints, startTestService, type TestService } from '../service.ts';

const interval = 'from=2026-03-01T00:00:00Z&to=2026-03-01T12:00:00Z';
const input = (value: object) => encodeURIComponent(JSON.stringify(value));
const range = { from: '2026-03-01T00:00:00Z', to: '2026-03-01T12:00:00Z' };

/** Every operation that queries the table, over every transport. */
const REQUESTS: Record<string, { path: string; headers?: Record<string, string> }> = {
  ...Object.fromEntries(genericRequests(range).map(({ name, path }) => [name, { path: `/api/v1${path}` }])),
  'stats.limits': { path: `/api/v1/stats/limits?${interval}&limits=00-24%3D50` },
  'audio.range on tRPC': { path: `/trpc/audio.range?input=${input(range)}` },
  'a batch': { path: `/trpc/audio.latest,audio.range?batch=1&input=${input({ 1: range })}` },
  'a streamed batch': {
    path: `/trpc/audio.latest,export.csv?batch=1&input=${input({ 1: range })}`,
    headers: { 'trpc-accept': 'application/jsonl' },
  },
  'a batch with the same query twice': { path: '/trpc/audio.latest,audio.latest?batch=1' },
};

describeServerOnWire('A query without callers', (engine) => {
  let service: TestService;
  let answers: { readonly shared: number };
  let left = 0;
  const watch: Watcher = ({ server }, inside) => {
    answers = inside.answers;
    server.on('request', (_, response) =>
      response.once('close', () => {
        if (!response.writableFinished) left++;
      }),
    );
  };
  beforeAll(async () => {
    // long limits, so that no limit ends a query
    service = await startTestService(
      engine,
      { watchers: [watch] },
      { queryTimeoutMs: 600_000, poolWaitMs: 60_000 },
    );
    await service.sql(insertPoints([['2026-03-01T11:00:00Z', -10, 440]]));
    await service.rollups.inUse();
  });
  afterAll(() => service.close());

  /** Counts the running statements of the service. */
  const running = async () =>
    (
      await service.sql(`select pg_stat_clear_snapshot(); select pid from pg_stat_activity where datname = current_database()
        and application_name = 'audio-metrics' and state <> 'idle'`)
    ).length;

  /** Sends a query, and leaves when the test says so. */
  function start({ path, headers = {} }: { path: string; headers?: Record<string, string> }) {
    const sent = request(`${service.url}${path}`, { headers, agent: false }, (answer) => answer.resume());
    sent.on('error', () => {}).end();
    return { leave: () => sent.destroy() };
  }

  /** Runs `work` while every statement on the table is blocked. */
  async function locked(work: () => Promise<void>): Promise<void> {
    await service.sql('begin; lock table audio_data in access exclusive mode');
    await work().finally(() => service.sql('rollback'));
  }

  it.each(Object.entries(REQUESTS))('is cancelled: %s', async (_, query) => {
    await locked(async () => {
      const caller = start(query);
      await expect.poll(running).toBeGreaterThan(0);
      caller.leave();
      await expect.poll(running).toBe(0);
    });
    expect((await service.get('/audio/latest')).body.points).toHaveLength(1);
  });

  it('continues while any caller waits, and runs again for a later caller', async () => {
    const query = { path: '/api/v1/audio/latest?limit=7' };
    const [{ shared }, before] = [answers, left];
    await locked(async () => {
      const callers = [start(query), start(query), start(query)];
      await expect.poll(running).toBe(1);
      const last = service.get('/audio/latest?limit=7');
      await expect.poll(() => answers.shared - shared).toBe(3);
      for (const { leave } of callers) leave();
      await expect.poll(() => left - before).toBe(3);
      expect(await running()).toBe(1);
      await service.sql('rollback');
      expect((await last).status).toBe(200);
    });
    expect((await service.get('/audio/latest?limit=7')).status).toBe(200);
  });

  it('leaves the connections usable for the next queries', async () => {
    await locked(async () => {
      const callers = Array.from({ length: 30 }, (_, i) =>
        start({ path: `/api/v1/audio/latest?limit=${i + 1}` }),
      );
      await expect.poll(running).toBe(8); // the light slots
      for (const { leave } of callers) leave();
      await expect.poll(running).toBe(0);
    });
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => service.get(`/audio/latest?limit=${i + 1}`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200));
  });
});
