import { expect, it } from 'vitest';
import type { Context } from '../../src/api/context.ts';
import { appRouter, operations } from '../../src/api/router.ts';
import { CSV_TYPE, JSON_TYPE } from '../../src/contract/media-types.ts';
import { createApp } from '../../src/http/app.ts';
import { REST_PREFIX } from '../../src/http/paths.ts';
import { describeOnWire } from '../engines.ts';
import { insertPoints, NOW } from '../service.ts';

it('every operation is at the path and in the group that its name says', () => {
  for (const [name, { path, group }] of operations) {
    expect(`${path.slice(1).replace('/', '.')} ${group}`).toBe(`${name} ${name.split('.')[0]}`);
    expect(Object.keys(appRouter._def.procedures)).toContain(name);
  }
  expect(operations.size).toBe(Object.keys(appRouter._def.procedures).length);
});

describeOnWire('a procedure that is called in the process', (engine) => {
  const PAST = { from: '2026-02-28T00:00:00Z', to: '2026-03-01T00:00:00Z' };

  it('answers what REST does', async () => {
    const { db, rollups, sql, close } = await engine.open();
    const app = await createApp({ db, rollups, version: 'test', clock: () => Date.parse(NOW) });
    try {
      await sql(
        insertPoints([
          ['2026-02-28T10:00:00Z', -20, 440],
          ['2026-02-28T10:00:01Z', -1, null],
        ]),
      );
      const context: Context = {
        db,
        rollups,
        now: NOW,
        signal: new AbortController().signal,
        pageType: JSON_TYPE,
        fileType: CSV_TYPE,
        version: 'test',
        site: { name: null, timeZone: 'UTC', limits: [], calibrationOffsetDb: null },
        recorder: () => null,
        live: { open: async () => expect.unreachable(), canResume: () => false },
        isStopping: false,
      };
      const caller = appRouter.createCaller(context);
      const rest = async (path: string, query: Record<string, string> = {}) =>
        (await app.inject({ url: `${REST_PREFIX}${path}`, query })).json();
      expect(await caller.audio.latest({ limit: 2 })).toEqual(await rest('/audio/latest', { limit: '2' }));
      expect(await caller.audio.range(PAST)).toEqual(await rest('/audio/range', PAST));
      expect(await caller.stats.summary(PAST)).toEqual(await rest('/stats/summary', PAST));
      expect(await caller.events.loud({ threshold: -10 })).toEqual(
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
