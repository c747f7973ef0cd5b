import { expect, it } from 'vitest';
import { z } from 'zod';
import { routes } from '../../src/api/internals/routes.ts';
import { appRouter } from '../../src/api/router.ts';
import { LatestOutput } from '../../src/contract/audio.ts';
import { createApp } from '../../src/http/app.ts';
import { REST_PREFIX } from '../../src/http/paths.ts';
import { describeOnWire } from '../engines.ts';
import { insertPoints, NOW } from '../service.ts';
import { contextWith } from './context.ts';

it('every operation has the path and the group that its name says', () => {
  for (const [name, { path, group }] of routes)
    expect(`${path.slice(1).replace('/', '.')} ${group}`).toBe(
      `${name} ${name.split('.')[0]}`.replace('stations.list', 'stations'),
    );
});

it('the private definitions of tRPC procedures hold all that REST and the OpenAPI document read', () => {
  const latest = routes.get('audio.latest');
  expect([latest?.output, latest?.input.parse({}), latest?.isStream]).toEqual([
    LatestOutput,
    { limit: 100, levels: 'stored' },
    false,
  ]);
  expect(routes.get('audio.live')?.isStream).toBe(true);
  for (const { input, summary, description } of routes.values())
    expect([input, summary, description]).toEqual([
      expect.any(z.ZodType),
      expect.stringMatching(/./),
      expect.stringMatching(/./),
    ]);
});

describeOnWire('a procedure called in the process', (engine) => {
  const PAST = { from: '2026-02-28T00:00:00Z', to: '2026-03-01T00:00:00Z' };

  it('returns what REST returns', async () => {
    const { db, rollups, sql, close } = await engine.open();
    const app = await createApp({ db, rollups, version: 'test', clock: () => Date.parse(NOW) });
    try {
      await sql(
        insertPoints([
          ['2026-02-28T10:00:00Z', -20, 440],
          ['2026-02-28T10:00:01Z', -1, null],
        ]),
      );
      const caller = appRouter.createCaller(contextWith({ db, rollups }));
      const plain = (answer: object) => JSON.parse(JSON.stringify(answer));
      const rest = async (path: string, query: Record<string, string> = {}) =>
        (await app.inject({ url: `${REST_PREFIX}${path}`, query })).json();
      const latest = await caller.audio.latest({ limit: 2 });
      expect(plain(latest)).toEqual(await rest('/audio/latest', { limit: '2' }));
      expect(plain(await caller.audio.range(PAST))).toEqual(await rest('/audio/range', PAST));
      expect(await caller.stats.summary(PAST)).toEqual(await rest('/stats/summary', PAST));
      expect(plain(await caller.events.loud({ threshold: -10 }))).toEqual(
        await rest('/events/loud', { threshold: '-10' }),
      );
      expect(await caller.health.ready()).toEqual({ status: 'ok' });
      let csv = '';
      for await (const text of await caller.export.csv(PAST)) csv += text;
      expect(csv).toBe((await app.inject({ url: `${REST_PREFIX}/export/csv`, query: PAST })).body);
      await expect(caller.audio.latest({ limit: 0 })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
      await expect(caller.audio.range({ from: 'now', to: 'now-1h' })).rejects.toMatchObject({
        code: 'BAD_REQUEST',
        errors: [{ parameter: 'from' }],
      });
    } finally {
      await app.close();
      await close();
    }
  });
});
