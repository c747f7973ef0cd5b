// Measures JSON answers: against routes written by hand, against psql, and through the typed client.
import { isDeepStrictEqual } from 'node:util';
import { createClient } from '../src/client/index.ts';
import { type Child, startBaseline, startService } from './child.ts';
import { elapsed } from './compare.ts';
import { openConnection } from './connection.ts';
import { type Benchmark, type Figure, median, type Say } from './figure.ts';
import { type Interval, startWithTable, storePoints, untilNow, within } from './points-table.ts';
import { poll } from './pollers.ts';
import { openPsql, selectPoints } from './psql.ts';
import { inTurn, type Round, ratioOf } from './rounds.ts';

const POINTS = 1_000_000;
const CONNECTIONS = 16;
const ROUNDS = 5;
const SECONDS = 3;

export const json: Benchmark = {
  usage: '\n  npm run bench -- json [--json FILE]',
  options: [],

  async run(_, say) {
    await using server = await startWithTable(say);
    const all = untilNow(POINTS);
    await storePoints(server.url, all, say);
    say('starting the service and the routes by hand');
    await using ours = await startService(server.url);
    await using theirs = await startBaseline(server.url);
    const both = { ours, theirs };
    return [
      ...(await saturated(both, LATEST, say)),
      ...(await saturated(both, rangeOf(all, 1000), say)),
      ...(await saturated(both, rangeOf(all, 10_000), say)),
      await rangeAgainstPsql(ours, server.url, all, say),
      ...(await typedClient(ours, all, say)),
    ];
  },
};

interface Workload {
  readonly name: string;
  /** Differs by connection, because equal requests would share one query. */
  path(connection: number): string;
  points(connection: number): number;
  readonly perSecond: Pick<Figure, 'bar' | 'aim'>;
  readonly cpu?: Pick<Figure, 'bar' | 'aim'>;
}

const LATEST: Workload = {
  name: 'latest 100',
  path: (connection) => `/api/v1/audio/latest?limit=${93 + connection}`,
  points: (connection) => 93 + connection,
  perSecond: { bar: { atLeast: 1.05 }, aim: 1.2 },
  cpu: { bar: { atMost: 0.8 }, aim: 0.5 },
};

const rangeOf = (all: Interval, points: 1000 | 10_000): Workload => ({
  name: `range of ${points.toLocaleString('en')}`,
  path: (connection) => rangePath(pageOf(all, connection, points)),
  points: () => points,
  perSecond: { bar: { atLeast: points === 1000 ? 1.3 : 1.15 }, aim: 2 },
  cpu: { bar: { atMost: points === 1000 ? 0.5 : 0.8 }, aim: 0.3 },
});

const pageOf = (all: Interval, number: number, points = 10_000) => within(all, number * 60_000, points);
const rangePath = (page: Interval) => `/api/v1/audio/range?${new URLSearchParams({ ...page })}`;

/** Measures the highest rate of answers, and the processor time per answer, with one process per side. */
async function saturated(both: Round<Child>, workload: Workload, say: Say): Promise<Figure[]> {
  const run = async (child: Child) => {
    const cpuMs = child.cpuMs();
    const { url } = child;
    const load = { clients: CONNECTIONS, seconds: SECONDS, everyMs: 0, url, path: workload.path };
    const polled = await poll({ ...load, length: (connection) => lengths.get(url)?.[connection] });
    if (polled.errors > 0) throw new Error(`${workload.name}: a wrong answer: ${polled.firstError}`);
    return { perSecond: polled.perSecond, cpuMs: (child.cpuMs() - cpuMs) / polled.answers };
  };
  say(`${workload.name}: warming up`);
  let lengths = await equalAnswers(both, workload);
  for (const child of [both.ours, both.theirs]) await run(child);
  const rounds = await inTurn(ROUNDS, both, async (child, round) => {
    say(`${workload.name}, ${child === both.ours ? 'ours' : 'by hand'}: round ${round} of ${ROUNDS}`);
    if (child === both.ours) lengths = await equalAnswers(both, workload);
    return run(child);
  });
  const work = `${workload.name}, ${CONNECTIONS} connections`;
  return [
    {
      work: `${work}: answers a second, against routes by hand`,
      ...ratioOf(rounds, ({ perSecond }) => perSecond, 'a second'),
      ...workload.perSecond,
    },
    {
      work: `${work}: processor time of the process, against routes by hand`,
      ...ratioOf(rounds, ({ cpuMs }) => cpuMs, 'ms each'),
      ...workload.cpu,
    },
  ];
}

/**
 * Sends each request of a workload to both sides once.
 *
 * @returns the length of each answer in bytes, by its URL
 * @throws if the answers differ, or have the wrong number of points
 */
async function equalAnswers({ ours, theirs }: Round<Child>, { name, path, points }: Workload) {
  const lengths = new Map<string, number[]>([ours, theirs].map(({ url }) => [url, []]));
  for (let connection = 0; connection < CONNECTIONS; connection++) {
    const [found, expected] = await Promise.all(
      [ours, theirs].map(async ({ url }) => {
        const text = await getText(url, path(connection));
        lengths.get(url)?.push(Buffer.byteLength(text));
        return JSON.parse(text).points;
      }),
    );
    if (found?.length !== points(connection) || !isDeepStrictEqual(found, expected))
      throw new Error(`${name}: the answers to ${path(connection)} differ`);
  }
  return lengths;
}

/** Accepts no compression, like `openConnection`. */
const PLAIN = { 'accept-encoding': 'identity' };

async function getText(url: string, path: string): Promise<string> {
  const answer = await fetch(`${url}${path}`, { headers: PLAIN });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.text();
}

/** Compares the median times of single calls. Each round makes `times` calls in each way, in turn. */
async function oneAtATime(times: number, ways: Round<(n: number) => Promise<unknown>>) {
  const time = (way: (n: number) => Promise<unknown>, n: number) => elapsed(() => way(n));
  await inTurn(times, ways, time); // to warm up
  const rounds: Round<number>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const pairs = await inTurn(times, ways, time);
    rounds.push({
      ours: median(pairs, ({ ours }) => ours).ours,
      theirs: median(pairs, ({ theirs }) => theirs).theirs,
    });
  }
  return ratioOf(rounds, (ms) => ms, 'ms');
}

async function rangeAgainstPsql(ours: Child, database: string, all: Interval, say: Say): Promise<Figure> {
  const work = 'range of 10,000, one at a time: time against psql';
  say(work);
  const connection = openConnection(ours.url);
  const lengths: number[] = [];
  using psql = openPsql(database);
  const value = await oneAtATime(20, {
    ours: async (n) => {
      const page = n % CONNECTIONS;
      const { status, length, opening } = await connection.get(rangePath(pageOf(all, page)));
      lengths[page] ??= length; // the content has already been compared
      if (status !== 200 || length !== lengths[page])
        throw new Error(`${status}, ${length} bytes: ${opening}`);
    },
    theirs: (n) => psql.run(selectPoints(pageOf(all, n % CONNECTIONS))),
  });
  connection.close();
  return { work, ...value, bar: { atMost: 2.5 }, aim: 1.2 };
}

async function typedClient({ url }: Child, all: Interval, say: Say): Promise<Figure[]> {
  const client = createClient(url, { headers: PLAIN });
  const fetched = async (path: string) => JSON.parse(await getText(url, path));
  const page = (n: number) => pageOf(all, n % CONNECTIONS);
  const several = Array.from({ length: CONNECTIONS }, (_, connection) => 93 + connection);
  const calls = [
    {
      name: 'latest 100, one at a time',
      times: 200,
      ours: () => client.audio.latest.query({ limit: 100 }),
      theirs: () => fetched('/api/v1/audio/latest?limit=100'),
    },
    {
      name: `latest 100, ${CONNECTIONS} at once`,
      times: 30,
      ours: () => Promise.all(several.map((limit) => client.audio.latest.query({ limit }))),
      theirs: () => Promise.all(several.map((limit) => fetched(`/api/v1/audio/latest?limit=${limit}`))),
    },
    {
      name: 'range of 10,000, one at a time',
      times: 20,
      ours: (n: number) => client.audio.range.query(page(n)),
      theirs: (n: number) => fetched(rangePath(page(n))),
    },
  ];
  const figures: Figure[] = [];
  for (const { name, times, ours, theirs } of calls) {
    const work = `${name}, through the typed client: time against fetch`;
    say(work);
    const expected = await theirs(0);
    if (!isDeepStrictEqual(await ours(0), expected)) throw new Error(`${work}: the answers differ`);
    const counted = (way: (n: number) => Promise<Points | Points[]>) => async (n: number) => {
      if (pointsIn(await way(n)) !== pointsIn(expected)) throw new Error(`${work}: points are missing`);
    };
    const ways = { ours: counted(ours), theirs: counted(theirs) };
    figures.push({ work, ...(await oneAtATime(times, ways)), bar: { atMost: 1.3 }, aim: 1.1 });
  }
  return figures;
}

interface Points {
  readonly points: readonly unknown[];
}

function pointsIn(answers: Points | Points[]): number {
  return [answers].flat().reduce((sum, { points }) => sum + points.length, 0);
}
