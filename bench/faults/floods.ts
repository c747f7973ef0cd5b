// Floods: measures what one caller can do to the others.
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../src/errors.ts';
import { type Child, watchMemory } from '../child.ts';
import { openConnection } from '../connection.ts';
import type { Figure } from '../figure.ts';
import { type Interval, within } from '../points-table.ts';
import { LATEST, LIVE, probeWhile, queuedPath, startScript } from './probe.ts';
import { firstOkAfter, percentile, type Sample, statusesOf } from './samples.ts';
import type { TestBed } from './test-bed.ts';

/** Measured without a flood. */
interface Quiet {
  /** p99 of latest. */
  readonly latestMs: number;
  /** Answer time of the request that `inherited-position` queues. */
  readonly queuedMs: number;
}

interface Flood {
  readonly words: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Runs as an honest caller during the flood, beside the probe. */
  readonly honest?: (url: string, all: Interval, quiet: Quiet) => Promise<Figure[]>;
}

const FLOODS = {
  'slow-4': { words: 'four callers that read an export at 1 KB/s', honest: honestExport },
  'slow-20': { words: 'one caller that reads twenty exports at 1 KB/s', honest: honestExport },
  'slow-batches': {
    words: 'one caller that reads a hundred batches of twenty times 10,000 points at 1 KB/s',
  },
  abandoned: { words: 'five abandoned summaries of 30 days a second' },
  ranges: { words: 'fifty callers that request 10,000 points with zstd' },
  batches: { words: 'one caller that sends ten batches of twenty times 10,000 points' },
  'batches-10': { words: 'ten callers that each send a batch of twenty times 10,000 points' },
  jsonl: { words: 'one caller that sends ten such batches, and reads them line by line' },
  connections: { words: '2,000 connections that send half a request' },
  'forged-100': { words: 'forged event ids on 100 streams of one caller' },
  'forged-400': { words: 'forged event ids on 400 streams of 400 callers' },
  'inherited-position': { words: 'one caller that queues 91 heavy requests', honest: timeQueued },
  'light-batches': { words: 'fifty connections that request twenty times 50 points' },
  'light-lines': { words: 'fifty connections that request twenty times 1,000 points, line by line' },
  pipelined: { words: 'fifty connections that pipeline 1,000 latest' },
  'pipelined-404': { words: 'fifty connections that pipeline 1,000 unknown paths' },
  'pipelined-limited': {
    words: 'fifty connections that pipeline 1,000 latest beyond a rate limit',
    environment: { RATE_LIMIT: '10000' }, // the probe sends fewer
  },
} satisfies Record<string, Flood>;
export type FloodName = keyof typeof FLOODS;

const SECONDS = 15;
const HONEST_MS = 60_000;
const HONEST = { 'x-forwarded-for': '198.51.100.1' };
const MAX_MB = 600;

export async function floods({ start, all, options, say }: TestBed): Promise<Figure[]> {
  const names = options.floods?.split(',') ?? [...Object.keys(FLOODS), 'stall'];
  const unknown = names.find((name) => name !== 'stall' && !Object.hasOwn(FLOODS, name));
  if (unknown !== undefined) throw new AppError('BAD_REQUEST', `No flood ${unknown}`);
  const figures: Figure[] = [];
  let quiet: Quiet;
  {
    await using service = await start();
    await warmUp(service.url);
    const { samples } = await probeWhile(service.url, [LATEST, LIVE], () => sleep(SECONDS * 1000));
    const [latest = [], live = []] = samples;
    const { tookMs: queuedMs } = await timeOnce(service.url, queuedPath(all));
    quiet = { latestMs: percentile(latest, 0.99), queuedMs };
    const note = `live ${percentile(live, 0.99).toFixed(1)} ms`;
    figures.push({ work: 'no flood: p99 of latest', value: quiet.latestMs, unit: 'ms', note });
  }
  const chosen: [string, Flood][] = Object.entries(FLOODS).filter(([name]) => names.includes(name));
  for (const [name, { words, environment, honest }] of chosen) {
    say(`flood: ${words}`);
    await using service = await start({ TRUST_PROXY: '127.0.0.1', ...environment }); // callers send their addresses
    await warmUp(service.url);
    const flood = startScript<{ status: number }[]>('flooder', [name, service.url, all.from, all.to]);
    await sleep(2000);
    const { peak, result } = await watchMemory(service, 100, () =>
      probeWhile(service.url, [LATEST, LIVE], async () => {
        const [found = []] = await Promise.all([honest?.(service.url, all, quiet), sleep(SECONDS * 1000)]);
        return found;
      }),
    );
    const note = `; the flood got ${statusesOf(await flood.stop()) || 'nothing'}`;
    figures.push(
      ...figuresOf(words, { samples: result.samples, quiet, peak, note }),
      ...result.result.map((figure) => ({ ...figure, work: `${words}: ${figure.work}` })),
    );
  }
  if (names.includes('stall')) {
    say('a stall');
    await using service = await start();
    figures.push(...(await stall(service, quiet)));
  }
  return figures;
}

interface Measured {
  /** Samples of latest, and of health.live. */
  readonly samples: readonly Sample[][];
  readonly quiet: Quiet;
  readonly peak: number;
  readonly note?: string;
}

function figuresOf(words: string, { samples, quiet, peak, note = '' }: Measured): Figure[] {
  const [latest = [], live = []] = samples;
  const refused = latest.filter(({ status }) => status !== 200);
  return [
    {
      work: `${words}: p99 of latest`,
      value: percentile(latest, 0.99),
      unit: 'ms',
      bar: { atMost: Math.min(10 * quiet.latestMs, 1000) },
      note: `p50 ${percentile(latest, 0.5).toFixed(1)} ms${note}`,
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
    { work: `${words}: memory at most`, value: peak, unit: 'MB', bar: { atMost: MAX_MB } },
  ];
}

async function warmUp(url: string): Promise<void> {
  await probeWhile(url, [LATEST, LIVE], () => sleep(2000));
}

/**
 * The time until an honest caller, which retries after refusals, gets the first byte of an export. Gives up after twice
 * the bar.
 */
async function honestExport(url: string, all: Interval): Promise<Figure[]> {
  const { from, to } = within(all, 0, 10_000);
  const begin = performance.now();
  const connection = openConnection(url, HONEST);
  let value = Number.POSITIVE_INFINITY;
  while (value === Number.POSITIVE_INFINITY && performance.now() - begin < 2 * HONEST_MS) {
    let first = 0;
    const path = `/api/v1/export/csv?${new URLSearchParams({ from, to })}`;
    const answer = await connection
      .get(path, () => {
        first ||= performance.now();
      })
      .catch(() => undefined);
    if (answer?.status === 200) value = first - begin;
    else await sleep(1000); // as Retry-After requires
  }
  connection.close();
  return [{ work: 'an honest export begins after', value, unit: 'ms', bar: { atMost: HONEST_MS } }];
}

/** Once a second, sends the same request that the flood has queued. */
async function timeQueued(url: string, all: Interval, { queuedMs }: Quiet): Promise<Figure[]> {
  const samples: Sample[] = [];
  for (const end = performance.now() + SECONDS * 1000; performance.now() < end; await sleep(1000))
    samples.push(await timeOnce(url, queuedPath(all)));
  return [
    {
      work: 'another caller sends the same request, longest',
      value: percentile(samples, 1),
      unit: 'ms',
      bar: { atMost: Math.max(3000, 10 * queuedMs) },
      note: `${queuedMs.toFixed(0)} ms without a flood`,
    },
    {
      work: 'another caller sends the same request, refused',
      value: samples.filter(({ status }) => status !== 200).length,
      unit: '',
      bar: { atMost: 0 },
      note: statusesOf(samples),
    },
  ];
}

async function timeOnce(url: string, path: string): Promise<Sample> {
  const connection = openConnection(url, HONEST);
  const [at, begin] = [Date.now(), performance.now()];
  const { status } = await connection.get(path).catch(() => ({ status: 0 }));
  connection.close();
  return { at, tookMs: performance.now() - begin, status };
}

const STALL_MS = 2000;
const FORGET_MS = 1000;

/** Stops the process once and resumes it, as if the machine hung. */
async function stall(service: Child, quiet: Quiet): Promise<Figure[]> {
  const words = 'a stall of 2 s';
  await warmUp(service.url);
  let end = 0;
  const { peak, result } = await watchMemory(service, 100, () =>
    probeWhile(service.url, [LATEST, LIVE], async () => {
      await sleep(2000);
      process.kill(service.pid, 'SIGSTOP');
      await sleep(STALL_MS);
      end = Date.now();
      process.kill(service.pid, 'SIGCONT');
      await sleep(SECONDS * 1000 - STALL_MS);
    }),
  );
  const [latest = []] = result.samples;
  const samples = result.samples.map((each) => each.filter(({ at }) => at > end + FORGET_MS));
  return [
    {
      work: `${words}: first 200 of latest after`,
      value: firstOkAfter(latest, end),
      unit: 'ms',
      bar: { atMost: FORGET_MS },
      note: statusesOf(latest),
    },
    ...figuresOf(`${words}, ${FORGET_MS / 1000} s later`, { samples, quiet, peak }),
  ];
}
