// Memory under slow readers: callers request full pages and batches of them, and hardly read. Measures the memory of
// the service, another caller's latest, and how soon the next page is answered after they have left.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPglite } from '../../src/database/pglite.ts';
import { runOn } from '../../src/rollups/refresh-rollups.ts';
import { type Child, watchMemory } from '../child.ts';
import { openConnection } from '../connection.ts';
import type { Figure } from '../figure.ts';
import { INSERT_POINTS, type Interval, untilNow, within } from '../points-table.ts';
import { LATEST, probeWhile, startScript } from './probe.ts';
import { percentile, statusesOf } from './samples.ts';
import type { TestBed } from './test-bed.ts';

const FLOODS = {
  'pages-1': 'one caller that requests 300 pages',
  'pages-40': '40 callers that request 300 pages',
  'slow-batches': 'one caller that requests a hundred batches of twenty pages',
  'slow-batches-40': '40 callers that request a hundred batches of twenty pages',
};
export type SlowFlood = keyof typeof FLOODS;

const SECONDS = 40;
const POINTS = 300_000;

export async function memory({ start, all, say }: TestBed): Promise<Figure[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'audio-bench-'));
  try {
    say('storing points in the embedded database');
    const mine = untilNow(POINTS);
    const db = await openPglite({ dataDir });
    await runOn(db)(INSERT_POINTS, [mine.from, 0, POINTS]);
    await db.close();
    const proxied = { TRUST_PROXY: '127.0.0.1' }; // callers send their addresses
    const embedded = () => start({ ...proxied, DATA_DIR: dataDir }, '');
    return [
      ...(await flooded('server', () => start(proxied), all, say)),
      ...(await flooded('embedded', embedded, mine, say)),
    ];
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function flooded(database: string, start: () => Promise<Child>, all: Interval, say: TestBed['say']) {
  const figures: Figure[] = [];
  for (const [name, words] of Object.entries(FLOODS)) {
    const work = `${database}, ${words}`;
    say(work);
    await using service = await start();
    await probeWhile(service.url, [LATEST], () => sleep(2000));
    const idle = service.memory();
    const flood = startScript<{ status: number }[]>('flooder', [name, service.url, all.from, all.to]);
    const { peak, result } = await watchMemory(service, 100, () =>
      probeWhile(service.url, [LATEST], () => sleep(SECONDS * 1000)),
    );
    const [latest = []] = result.samples;
    const note = `${statusesOf(latest)}; the flood got ${statusesOf(await flood.stop()) || 'nothing'}`;
    const value = await untilServed(service.url, all);
    figures.push(
      { work: `${work}: memory above idle`, value: peak - idle, unit: 'MB', bar: { atMost: 500 } },
      {
        work: `${work}: p99 of latest`,
        value: percentile(latest, 0.99),
        unit: 'ms',
        bar: { atMost: 500 },
        note,
      },
      { work: `${work}: a page after they left`, value, unit: 'ms', bar: { atMost: 2000 } },
    );
  }
  return figures;
}

/** The time until a page is answered, for a caller that retries every tenth of a second. */
async function untilServed(url: string, all: Interval): Promise<number> {
  const begin = performance.now();
  const path = `/api/v1/audio/range?${new URLSearchParams({ ...within(all, 0, 10_000), limit: '10000' })}`;
  for (;;) {
    const connection = openConnection(url);
    const { status } = await connection.get(path).catch(() => ({ status: 0 }));
    connection.close();
    if (status === 200) return performance.now() - begin;
    await sleep(100);
  }
}
