// Measures many callers at once: a thousand dashboards, a hundred equal requests, and requests beside exports.
import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from '../test/cluster.ts';
import { type Child, startService, watchMemory } from './child.ts';
import { type Benchmark, type Figure, median, type Say } from './figure.ts';
import { besideExports } from './load-beside-exports.ts';
import { startWithTable, storePoints, untilNow } from './points-table.ts';
import { noteOf, poll } from './pollers.ts';

const POINTS = 1_000_000;
const ROUNDS = 5;

export const load: Benchmark = {
  usage: '\n  npm run bench -- load [--json FILE]',
  options: [],

  async run(_, say) {
    await using server = await startWithTable(say);
    const interval = untilNow(POINTS);
    await storePoints(server.url, interval, say);
    say('starting the service');
    await using service = await startService(server.url, { TRUST_PROXY: '127.0.0.1' }); // clients send their addresses
    say('warming up');
    await poll({ ...latest(service), clients: 16, seconds: 5, everyMs: 0 });
    return [
      ...(await manyConnections(service, say)),
      ...(await equalRequests(service, server.url, say)),
      ...(await besideExports(service, interval, POINTS, ROUNDS, say)),
    ];
  },
};

const latest = ({ url }: Child) => ({ url, path: () => '/api/v1/audio/latest' });

async function manyConnections(service: Child, say: Say): Promise<Figure[]> {
  say('1,000 clients request the latest points once a second, for 20 s');
  const { peak, result: polled } = await watchMemory(service, 500, () =>
    poll({ ...latest(service), clients: 1000, seconds: 20, everyMs: 1000 }),
  );
  const work = '1,000 keep-alive clients, latest once a second';
  return [
    { work: `${work}: errors`, value: polled.errors, unit: '', bar: { atMost: 0 }, ...noteOf(polled) },
    {
      work: `${work}: p99`,
      value: polled.p99Ms,
      unit: 'ms',
      bar: { atMost: 50 },
      note: `median ${polled.p50Ms.toFixed(1)} ms`,
    },
    { work: `${work}: memory of the service`, value: peak, unit: 'MB', bar: { atMost: 250 } },
  ];
}

/** Requests that cost the database the same, whether they are equal or different. */
const REQUESTS = [
  {
    name: 'latest',
    alike: () => 'audio/latest?limit=150',
    apart: (client: number) => `audio/latest?limit=${101 + client}`,
    atLeast: 1.2,
  },
  {
    name: 'summary of an hour',
    alike: () => 'stats/summary?period=1h',
    apart: (client: number) => `stats/summary?period=1h&to=now-${client}s`,
    atLeast: 5,
  },
];

async function equalRequests({ url }: Child, database: string, say: Say): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { name, alike, apart, atLeast } of REQUESTS) {
    const rounds = [];
    for (let round = 1; round <= ROUNDS; round++) {
      say(`100 clients request ${name}, apart and alike: round ${round} of ${ROUNDS}`);
      const run = (pathOf: (client: number) => string) =>
        poll({
          clients: 100,
          seconds: 3,
          everyMs: 0,
          url,
          path: (client) => `/api/v1/${pathOf(client)}`,
          headers: (client) => ({ 'x-forwarded-for': `192.0.2.${client}` }),
        });
      const different = await run(apart);
      const before = await transactions();
      const same = await run(alike);
      const queries = (await transactions()) - before;
      rounds.push({
        ratio: same.perSecond / different.perSecond,
        tail: same.p99Ms / different.p99Ms,
        share: same.answers / queries,
        same,
        different,
      });
    }
    const middle = median(rounds, ({ ratio }) => ratio);
    const { same, different } = middle;
    const errors = rounds.reduce((sum, round) => sum + round.same.errors, 0);
    const refused = different.errors ? `; ${different.errors} of the different ones refused` : '';
    const work = `100 clients, the same ${name} against different ones`;
    figures.push(
      {
        work: `${work}: answers a second`,
        value: middle.ratio,
        unit: 'times',
        bar: { atLeast },
        note: `${same.perSecond.toFixed(0)} against ${different.perSecond.toFixed(0)}`,
      },
      {
        work: `${work}: p99`,
        value: middle.tail,
        unit: 'times',
        bar: { atMost: 1 },
        note: `${same.p99Ms.toFixed(1)} against ${different.p99Ms.toFixed(1)} ms${refused}`,
      },
      { work: `100 clients request the same ${name}: answers to one query`, value: middle.share, unit: '' },
      {
        work: `100 clients request the same ${name}: errors`,
        value: errors,
        unit: '',
        bar: { atMost: 0 },
        ...noteOf(...rounds.map((round) => round.same)),
      },
    );
  }
  return figures;

  async function transactions(): Promise<number> {
    await sleep(1100); // PostgreSQL reports the count with a delay
    const { rows } = await withClient(database, (client) =>
      client.query(
        'select xact_commit::float8 as n from pg_stat_database where datname = current_database()',
      ),
    );
    return rows[0].n;
  }
}
