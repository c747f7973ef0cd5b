// Queries stations with different levels all at once. No answer may hold a level of another station.
import pLimit from 'p-limit';
import { expect, it, onTestFinished } from 'vitest';
import { openPostgres } from '../src/database/postgres.ts';
import { createApp } from '../src/http/app.ts';
import { createRollups } from '../src/rollups/store.ts';
import { describeEachEngine, type TestDatabase } from './engines.ts';
import { findPgbouncer, startPooler } from './pooler.ts';
import { seeded, soakNumber, soakSeed } from './seeded.ts';
import { ON_A_BUSY_MACHINE } from './service.ts';
import { makeStation } from './stations.ts';

const REQUESTS = soakNumber('STATION_REQUESTS', 400);
const STATIONS = Array.from({ length: 20 }, (_, n) => `s${n}`);
const timeout = 120_000 + REQUESTS * 100;

/** The requests, and the fields of their answers that hold levels. */
const PATHS: readonly string[] = [
  '/api/v1/audio/latest?limit=20',
  '/api/v1/audio/range?from=now-1h&to=now&limit=7',
  '/api/v1/stats/summary?period=1h',
  '/api/v1/stats/summary?period=24h',
  '/api/v1/stats/series?from=now-1h&to=now&bucket=1m',
  '/api/v1/events/loud?threshold=-50&limit=5',
  '/api/v1/export/csv?from=now-10m&to=now',
  '/api/v1/audio/live?from=now-5m',
  '/trpc/audio.latest,stats.summary?batch=1&input=%7B%220%22%3A%7B%22limit%22%3A3%7D%7D',
];

/** Matches a level such as `-12.34`. A station's levels are all equal, so Leq and other figures are close to them. */
const LEVELS = /-\d+(?:\.\d+)?(?=[,}\]])/g;

describeEachEngine('Stations', (engine) => {
  it(`return no level of another station in ${REQUESTS} answers`, { timeout }, async () => {
    const random = seeded(soakSeed());
    const test = await engine.open();
    onTestFinished(() => test.close());
    const levels = new Map<string, number[]>();
    let next = -1;
    const fill = async (name: string) => {
      next -= 1.5;
      if (next < -48) next = -1.75;
      levels.set(name, [...(levels.get(name) ?? []), next]);
      await makeStation(test, name);
      await test.sql(`insert into ${name}.audio_data select now() - n * interval '1 s', ${next}, 440, false
        from generate_series(1, 3000) n`);
    };
    for (const name of STATIONS) await fill(name);
    const app = await serviceOn(test);
    const root = await app.listen({ host: '127.0.0.1', port: 0 });

    const seen = { 200: 0, 404: 0, broken: 0, levels: 0 };
    const wrong: string[] = [];
    async function request(): Promise<void> {
      const name = STATIONS[Math.floor(random() * STATIONS.length)] ?? '';
      const path = PATHS[Math.floor(random() * PATHS.length)] ?? '';
      const isLive = path.includes('live');
      const leaves =
        random() < 0.1 ? AbortSignal.timeout(Math.ceil(random() * 20)) : AbortSignal.timeout(20_000);
      try {
        const response = await fetch(`${root}/stations/${name}${path}`, { signal: leaves });
        const text = isLive ? await firstOf(response) : await response.text();
        if (response.status === 200) seen[200]++;
        else if (response.status === 404) seen[404]++;
        else seen.broken++;
        if (response.status !== 200) return;
        for (const [level] of text.matchAll(LEVELS)) {
          const isOwn = levels.get(name)?.some((own) => Math.abs(own - Number(level)) < 0.11);
          seen.levels++;
          if (!isOwn && Number(level) !== -50) wrong.push(`${name} ${path}: ${level}`);
        }
      } catch {
        seen.broken++;
      }
    }
    let isRemoving = true;
    const removing = (async () => {
      while (isRemoving) {
        const name = STATIONS[Math.floor(random() * STATIONS.length)] ?? '';
        await test.sql(`drop schema ${name} cascade`);
        await fill(name);
      }
    })();
    const atOnce = pLimit(50);
    await Promise.all(Array.from({ length: REQUESTS }, () => atOnce(request)));
    isRemoving = false;
    await removing;
    expect(wrong).toEqual([]);
    expect(seen[200]).toBeGreaterThan(REQUESTS / 4); // a busy machine answers some too late
    expect(seen.levels).toBeGreaterThan(REQUESTS);
    console.log(`${engine.name}: ${JSON.stringify(seen)}`);
  });
});

/** Behind PgBouncer, if this machine has it and the engine is a server. */
async function serviceOn({ db, rollups, url }: TestDatabase) {
  const limits = { ...ON_A_BUSY_MACHINE, openPerCaller: 1000, streamsPerCaller: 1000, maxWaiting: 10_000 };
  const pgbouncer = findPgbouncer();
  if (url === undefined || !pgbouncer) {
    const app = await createApp({ db, rollups, version: 'test', limits });
    onTestFinished(() => app.close());
    return app;
  }
  const pooler = await startPooler(pgbouncer, url, ['postgres'], {
    pool_mode: 'transaction',
    default_pool_size: 8,
  });
  const pooled = openPostgres({
    url: pooler.through(url),
    queryTimeoutMs: 10_000,
    exportTimeoutMs: 30_000,
    poolWaitMs: 20_000,
  });
  const app = await createApp({ db: pooled, rollups: createRollups(pooled), version: 'test', limits });
  onTestFinished(async () => {
    await app.close();
    await pooled.close();
    await pooler.stop();
  });
  return app;
}

/** @returns the first event of a stream that has points */
async function firstOf(response: Response): Promise<string> {
  let text = '';
  for await (const piece of response.body ?? []) {
    text += Buffer.from(piece).toString();
    if (/^data: .*\n/m.test(text)) break;
  }
  return /^data: (.*)$/m.exec(text)?.[1] ?? '';
}
