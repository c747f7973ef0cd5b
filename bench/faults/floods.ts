// Floods: what one caller can do to the others.
import { setTimeout as sleep } from 'node:timers/promises';
import { watchMemory } from '../child.ts';
import { openConnection } from '../connection.ts';
import type { Figure } from '../figure.ts';
import { type Interval, within } from '../table.ts';
import { type Asked, percentile, statusesOf } from './asked.ts';
import { LATEST, LIVE, probeWhile, startScript } from './probe.ts';
import type { World } from './world.ts';

const FLOODS = {
  'slow-4': 'four callers who read an export at 1 KB/s',
  'slow-20': 'one caller who reads twenty exports at 1 KB/s',
  abandoned: 'five abandoned summaries of 30 days a second',
  ranges: 'fifty callers of 100,000 points with zstd',
  batches: 'ten callers of twenty times 100,000 points',
  jsonl: 'ten callers of the same, line by line',
  connections: '2,000 connections that say half a request',
};
export type FloodName = keyof typeof FLOODS;

const SECONDS = 15;
const HONEST_MS = 60_000;

export async function floods({ start, all, say }: World): Promise<Figure[]> {
  const figures: Figure[] = [];
  let quiet = Number.NaN;
  {
    await using service = await start();
    await warmUp(service.url);
    const { asked } = await probeWhile(service.url, [LATEST, LIVE], () => sleep(SECONDS * 1000));
    const [latest = [], live = []] = asked;
    quiet = percentile(latest, 0.99);
    const note = `live ${percentile(live, 0.99).toFixed(1)} ms`;
    figures.push({ work: 'no flood: p99 of latest', value: quiet, unit: 'ms', note });
  }
  for (const [name, words] of Object.entries(FLOODS)) {
    say(`flood: ${words}`);
    await using service = await start({ TRUST_PROXY: '127.0.0.1' }); // tells the callers of this machine apart
    await warmUp(service.url);
    const flood = startScript<{ status: number }[]>('flooder', [name, service.url, all.from, all.to]);
    await sleep(2000);
    const { peak, result } = await watchMemory(service, 100, () =>
      probeWhile(service.url, [LATEST, LIVE], async () => {
        if (!name.startsWith('slow')) return sleep(SECONDS * 1000, undefined);
        const [waited] = await Promise.all([honestExport(service.url, all), sleep(SECONDS * 1000)]);
        return waited;
      }),
    );
    const answered = await flood.stop();
    const [latest = [], live = []] = result.asked;
    figures.push(...figuresOf(words, { latest, live, quiet, peak, answered }));
    if (result.result !== undefined)
      figures.push({
        work: `${words}: an honest export begins after`,
        value: result.result,
        unit: 'ms',
        bar: { atMost: HONEST_MS },
      });
  }
  return figures;
}

interface Measured {
  readonly latest: readonly Asked[];
  readonly live: readonly Asked[];
  /** p99 of latest without a flood, in ms. */
  readonly quiet: number;
  readonly peak: number;
  readonly answered: readonly { status: number }[];
}

function figuresOf(words: string, { latest, live, quiet, peak, answered }: Measured): Figure[] {
  const bar = { atMost: Math.min(10 * quiet, 1000) };
  const refused = latest.filter(({ status }) => status !== 200);
  return [
    {
      work: `${words}: p99 of latest`,
      value: percentile(latest, 0.99),
      unit: 'ms',
      bar,
      note: `p50 ${percentile(latest, 0.5).toFixed(1)} ms; the flood got ${statusesOf(answered) || 'nothing'}`,
    },
    {
      work: `${words}: latest refused`,
      value: refused.length,
      unit: '',
      bar: { atMost: 0 },
      note: statusesOf(latest),
    },
    {
      work: `${words}: p99 of health.live`,
      value: percentile(live, 0.99),
      unit: 'ms',
      bar: { atMost: 100 },
      note: statusesOf(live),
    },
    { work: `${words}: memory at most`, value: peak, unit: 'MB' },
  ];
}

async function warmUp(url: string): Promise<void> {
  await probeWhile(url, [LATEST, LIVE], () => sleep(2000));
}

/** How long a caller who asks again when refused waits for the first bytes of an export, in ms; no longer than twice the bar. */
async function honestExport(url: string, all: Interval): Promise<number> {
  const { from, to } = within(all, 0, 10_000);
  const begin = performance.now();
  const connection = openConnection(url, { 'x-forwarded-for': '198.51.100.1' });
  while (performance.now() - begin < 2 * HONEST_MS) {
    let first = 0;
    const path = `/api/v1/export/csv?${new URLSearchParams({ from, to })}`;
    const answer = await connection
      .get(path, () => {
        first ||= performance.now();
      })
      .catch(() => undefined);
    if (answer?.status === 200) {
      connection.close();
      return first - begin;
    }
    await sleep(1000); // as Retry-After says
  }
  connection.close();
  return Number.POSITIVE_INFINITY;
}
