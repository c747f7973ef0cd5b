// Measures the page over a month of points: clicks, frames, requests, and the growth of its memory.
import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright-core';
import { z } from 'zod';
import { AppError } from '../src/errors.ts';
import { openBrowser, type Visit, visit } from '../test/browser.ts';
import { withClient } from '../test/cluster.ts';
import { startService } from './child.ts';
import { provideDataSet } from './data-set.ts';
import type { Benchmark, Figure, Say } from './figure.ts';
import { asOwner, openTimescale } from './server.ts';

const count = (standard: number) => z.coerce.number().int().positive().default(standard);
const Options = z.object({ days: count(30), rate: count(10), minutes: count(3), url: z.string().optional() });

const ROUNDS = 5;
const LIVE_SECONDS = 5;

export const page: Benchmark = {
  usage: `
  npm run bench -- page [--days 30] [--rate 10] [--minutes 3] [--url URL] [--json FILE]

  --days, --rate   how many days of points to generate, and how many a second
  --minutes        how long the memory of the page is watched
  --url            a database with TimescaleDB, as its owner: its points are used as they are, and ten
                   a second are added during the measurement. Without it, a server is started from the
                   PostgreSQL of this machine, and removed in the end`,
  options: Object.keys(Options.shape),

  async run(values, say) {
    const { data: options, error } = Options.safeParse(values);
    if (!options) throw new AppError('BAD_REQUEST', `${z.prettifyError(error)}\n${page.usage}`);
    await using server = await openTimescale(options.url);
    const retention = options.url === undefined ? { rawRetention: `${options.days + 5} days` } : {};
    await asOwner(server.url, retention, (client) => provideDataSet(client, options, say));
    await using service = await startService(server.url);
    const ending = new AbortController();
    const recorded = record(server.url, ending.signal);
    const browser = await openBrowser();
    try {
      return await measure(await visit(browser), service.url, options.minutes, say);
    } finally {
      ending.abort();
      await recorded;
      await browser.close();
    }
  },
};

async function measure({ page, requests }: Visit, url: string, minutes: number, say: Say) {
  const figures: Figure[] = [];
  await page.setViewportSize({ width: 1440, height: 1000 });
  await page.goto(url);
  await page.getByRole('application').waitFor();
  say('30 days');
  const months: number[] = [];
  for (let n = 0; n < ROUNDS; n++) {
    await click(page, '1 hour');
    await sleep(1500);
    months.push(await click(page, '30 days'));
    await sleep(1500); // lets the other panels finish
  }
  figures.push(ms('from the click on 30 days to its chart', months, 500));
  say('zoom');
  const zooms: number[] = [];
  for (const name of ['Zoom in', 'Zoom in', 'Later', 'Zoom in', 'Earlier', 'Zoom in', 'Later']) {
    zooms.push(await click(page, name));
    await sleep(1500);
  }
  figures.push(ms('from a zoom or a step to its chart', zooms, 150));

  say('live');
  await click(page, '15 minutes');
  await sleep(3000);
  const frames = await page.evaluate<number>(countFrames(LIVE_SECONDS));
  figures.push({ work: 'frames a second while live', value: frames, unit: '', bar: { atLeast: 58 } });

  say(`memory over ${minutes} min`);
  const devTools = await page.context().newCDPSession(page);
  await sleep(45_000); // lets caches fill
  const heaps = [await heapOf(devTools)];
  const before = requests.length;
  for (let minute = 0; minute < minutes; minute++) {
    await sleep(60_000);
    heaps.push(await heapOf(devTools));
  }
  const rate = (requests.length - before) / minutes;
  figures.push({ work: 'requests a minute, 15 min live', value: rate, unit: '', bar: { atMost: 30 } });
  const growth = (heaps.at(-1) ?? 0) - (heaps[0] ?? 0);
  const note = `MB after each minute: ${heaps.map((heap) => heap.toFixed(1)).join(', ')}`;
  figures.push({
    work: `memory gained in ${minutes} min live`,
    value: growth,
    unit: 'MB',
    bar: { atMost: 2 },
    note,
  });
  return figures;
}

/** Clicks a control of the range, or zooms by a key. Returns the time until the level chart shows the result, in ms. */
function click(page: Page, name: string): Promise<number> {
  return page.evaluate<number>(clickAndWait(name));
}

// scripts for the page are text, because the types here are Node's, not a browser's

const countFrames = (seconds: number) => `new Promise((resolve) => {
  const end = performance.now() + ${seconds} * 1000;
  let frames = 0;
  const next = () => {
    if (performance.now() >= end) return resolve(frames / ${seconds});
    frames++;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})`;

const clickAndWait = (name: string) => `(async () => {
  const button = [...document.querySelectorAll('.range button')].find(
    (each) => (each.getAttribute('aria-label') ?? each.textContent) === ${JSON.stringify(name)},
  );
  const area = document.querySelector('[role=application]');
  const chart = area.closest('.panel');
  const since = performance.now();
  if (button) button.click();
  else area.dispatchEvent(new KeyboardEvent('keydown', { key: '+', bubbles: true }));
  do await new Promise(requestAnimationFrame);
  while (chart.getAttribute('aria-busy') === 'true');
  return performance.now() - since;
})()`;

async function heapOf(devTools: CDPSession): Promise<number> {
  await devTools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devTools.send('Runtime.getHeapUsage');
  return usedSize / 2 ** 20;
}

function ms(work: string, times: readonly number[], atMost: number): Figure {
  const sorted = times.toSorted((a, b) => a - b);
  const value = sorted[Math.floor(sorted.length / 2)] ?? Number.POSITIVE_INFINITY;
  const note = `${sorted.length} times, longest ${sorted.at(-1)?.toFixed(0)} ms`;
  return { work, value, unit: 'ms', bar: { atMost }, note };
}

/** Stores ten points a second. */
async function record(url: string, signal: AbortSignal): Promise<void> {
  await withClient(url, async (client) => {
    while (!signal.aborted) {
      await client.query(`insert into audio_data select clock_timestamp(), -20 - 20 * random(), 440, false`);
      await sleep(100, undefined, { signal }).catch(() => {});
    }
  });
}
