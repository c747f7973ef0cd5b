// Measures short requests beside long exports.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Child } from './child.ts';
import { type Figure, median, type Say } from './figure.ts';
import type { Interval } from './points-table.ts';
import { noteOf, poll } from './pollers.ts';

/** Measures the p99 of short requests beside 4 exports of all points, which are read as fast as they arrive. */
export async function besideExports(
  { url }: Child,
  interval: Interval,
  points: number,
  total: number,
  say: Say,
): Promise<Figure[]> {
  const latest = { clients: 20, seconds: 6, everyMs: 100, url, path: () => '/api/v1/audio/latest' };
  const path = `/api/v1/export/csv?${new URLSearchParams({ ...interval })}`;
  const rounds = [];
  for (let round = 1; round <= total; round++) {
    say(
      `latest alone and beside 4 exports of ${points.toLocaleString('en')} points: round ${round} of ${total}`,
    );
    const alone = await poll(latest);
    const workers = Array.from(
      { length: 4 },
      () =>
        new Worker(new URL('./exporter.ts', import.meta.url), {
          workerData: { url, path, rows: points },
        }),
    );
    await sleep(1000); // lets the threads start
    const beside = await poll(latest);
    const read = await Promise.all(
      workers.map(async (worker) => {
        worker.postMessage('stop');
        const [rows] = await once(worker, 'message');
        return Number(rows);
      }),
    );
    rounds.push({ ratio: beside.p99Ms / alone.p99Ms, alone, beside, read: read.reduce((sum, n) => sum + n) });
  }
  const { ratio, alone, beside, read } = median(rounds, (round) => round.ratio);
  const errors = rounds.reduce((sum, round) => sum + round.alone.errors + round.beside.errors, 0);
  const work = `latest beside 4 exports of ${points.toLocaleString('en')} points`;
  return [
    {
      work: `${work}: p99 against alone`,
      value: ratio,
      unit: 'times',
      bar: { atMost: 3 },
      note: `${beside.p99Ms.toFixed(1)} against ${alone.p99Ms.toFixed(1)} ms, ${read.toLocaleString('en')} rows exported meanwhile`,
    },
    {
      work: `${work}: errors`,
      value: errors,
      unit: '',
      bar: { atMost: 0 },
      ...noteOf(alone, beside),
    },
  ];
}
