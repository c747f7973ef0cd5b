// Measures many stations on one server: the cost of the list, of one station, and of all refreshes.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { AppError } from '../src/errors.ts';
import { withClient } from '../test/cluster.ts';
import { type Child, startService, watchMemory } from './child.ts';
import { elapsed } from './compare.ts';
import { openConnection } from './connection.ts';
import { type Benchmark, digits, type Figure, median, type Say } from './figure.ts';
import { inTurn, ratioOf } from './rounds.ts';
import { openTimescale, startServer } from './server.ts';
import { fillStations, newMinutes } from './stations-filled.ts';
import { idleBytes, refreshRound } from './stations-idle.ts';

const count = (standard: number) => z.coerce.number().int().positive().default(standard);
const Options = z.object({
  engine: z.enum(['postgres', 'timescale']).default('postgres'),
  stations: count(100),
  full: count(2),
  days: count(30),
  runs: count(9),
});

/** `POOL_SIZE` plus two. */
const MOST_CONNECTIONS = 12;
/** Slightly longer than a `stations.list` answer is shared, in milliseconds. */
const UNSHARED_MS = 3100;
const REQUESTS_A_ROUND = 20;
const REQUESTS: Readonly<Record<string, (ago: number) => string>> = {
  latest: () => '/api/v1/audio/latest?limit=100',
  'summary of a day': (ago) => `/api/v1/stats/summary?period=24h&to=now-${ago}s`,
  'summary of a week': (ago) => `/api/v1/stats/summary?period=7d&to=now-${ago}s`,
};

const figure = (work: string, value: number, unit: Figure['unit'], atMost: number): Figure => ({
  work,
  value,
  unit,
  bar: { atMost },
});
const JOBS = `select count(*)::int as n from timescaledb_information.jobs where hypertable_schema ~ '^s\\d'`;
const CONNECTIONS = `select count(*)::int as n from pg_stat_activity where application_name = 'audio-metrics'`;
const countIn = (url: string, text: string): Promise<number> =>
  withClient(url, async (client) => (await client.query(text)).rows[0].n);

export const stations: Benchmark = {
  usage: `
  npm run bench -- stations [--engine postgres] [--stations 100] [--full 2] [--days 30] [--runs 9] [--json FILE]

  --engine         postgres or timescale
  --full, --days   how many stations have how many days at a point a second, as the default one; the others have one day
  --runs           how often each query runs`,
  options: Object.keys(Options.shape),

  async run(values, say) {
    const { data: options, error } = Options.safeParse(values);
    if (!options) throw new AppError('BAD_REQUEST', `${z.prettifyError(error)}\n${stations.usage}`);
    const isTimescale = options.engine === 'timescale';
    await using server = isTimescale
      ? await openTimescale(undefined)
      : await startServer({ shared_buffers: '1GB', max_wal_size: '8GB' });
    const { url } = server;
    const names = Array.from({ length: options.stations }, (_, n) => `s${n}`);
    await fillStations(url, names, { ...options, isTimescale }, say);
    say('refreshing');
    await refreshRound(url); // finishes earlier work
    await newMinutes(url, names);
    const figures = [
      figure('processor of a round of refreshes, 60 new points each', await refreshRound(url), 'ms', 4000),
      figure('processor of a round of refreshes, nothing new', await refreshRound(url), 'ms', 4000),
      figure('kB of memory of an idle station', (await idleBytes(url, names)) / 1000, '', 100),
    ];
    if (isTimescale) figures.push(figure('jobs a station', (await countIn(url, JOBS)) / names.length, '', 4));
    await newMinutes(url, names);
    const began = performance.now();
    await using service = await startService(url);
    figures.push(figure('start of the service', performance.now() - began, 'ms', 5000));
    const { peak, result } = await watchMemory(service, 100, () => timeRequests(service, options.runs, say));
    return [
      ...figures,
      ...result,
      figure('memory of the service', peak, 'MB', 350),
      figure('connections', await countIn(url, CONNECTIONS), '', MOST_CONNECTIONS),
    ];
  },
};

async function timeRequests({ url }: Child, runs: number, say: Say): Promise<Figure[]> {
  const connection = openConnection(url);
  const get = (path: string) =>
    elapsed(async () => {
      const { status, opening } = await connection.get(path);
      if (status !== 200) throw new Error(`${path}: ${status} ${opening}`);
    });
  say('stations.list');
  const list = () => get('/api/v1/stations');
  const first = await list();
  const cold: number[] = [];
  const shared: number[] = [];
  for (let run = 0; run < runs; run++) {
    await sleep(UNSHARED_MS);
    cold.push(await list());
    for (let again = 0; again < 5; again++) shared.push(await list());
  }
  const middle = (name: string, times: number[], atMost: number): Figure => ({
    ...figure(
      `stations.list, ${name}`,
      median(times, (ms) => ms),
      'ms',
      atMost,
    ),
    note: `longest ${digits(Math.max(...times))} ms`,
  });
  const figures = [
    { work: 'stations.list, the first in a process', value: first, unit: 'ms' } as const,
    middle('cold', cold, 300),
    middle('shared', shared, 50),
  ];
  for (const [name, pathOf] of Object.entries(REQUESTS)) {
    say(name);
    const rounds = await inTurn(runs, { ours: '/stations/s0', theirs: '' }, async (prefix, round) => {
      let ms = 0;
      for (let n = 0; n < REQUESTS_A_ROUND; n++) ms += await get(prefix + pathOf(round * 613 + n * 7));
      return ms / REQUESTS_A_ROUND;
    });
    const work = `${name}: a station against the default one`;
    figures.push({ work, ...ratioOf(rounds, (ms) => ms, 'ms'), bar: { atMost: 1.15 } });
  }
  connection.close();
  return figures;
}
