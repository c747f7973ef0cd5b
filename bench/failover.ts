// Measures what callers notice of a failover: reads and writes while services are replaced one by one, and while first
// a standby and then the primary is killed.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { z } from 'zod';
import { AppError } from '../src/errors.ts';
import { PERIOD_SECONDS } from '../src/operations/stats/summary/contract.ts';
import { summary } from '../src/operations/stats/summary/query.ts';
import { withClient } from '../test/cluster.ts';
import type { Benchmark, Figure, Say } from './figure.ts';
import { storePoints, untilNow } from './points-table.ts';
import { noteOf, poll } from './pollers.ts';
import { windowBefore } from './query-pairs.ts';
import { withService } from './server.ts';
import { type Node, startTopology, type Topology, until } from './topology.ts';

const POINTS = 100_000;
const CLIENTS = 40;

const count = (standard: number) => z.coerce.number().int().positive().default(standard);
const Options = z.object({ rate: count(200), seconds: count(120) });

const REQUESTS = [
  (n: number) => `audio/latest?limit=${100 + n}`,
  (n: number) => `audio/range?from=now-${60 + n}s&to=now`,
  (n: number) => `stats/summary?period=1h&to=now-${n}s`,
  (n: number) => `stats/summary?period=24h&to=now-${n}s`,
  (n: number) => `stats/series?from=now-${300 + n}s&to=now&max_points=60`,
  (n: number) => `events/loud?from=now-1h&to=now&limit=${10 + n}`,
] as const;

export const failover: Benchmark = {
  usage: `
  npm run bench -- failover [--rate 200] [--seconds 120] [--json FILE]

  --rate      GETs a second, for machines that cannot run all of it at once
  --seconds   how long requests are sent; from 60 on the killed servers have time to return`,
  options: Object.keys(Options.shape),

  async run(values, say) {
    const { data: options, error } = Options.safeParse(values);
    if (!options) throw new AppError('BAD_REQUEST', `${z.prettifyError(error)}\n${failover.usage}`);
    const { rate, seconds } = options;
    const interval = untilNow(POINTS);
    await using topology = await startTopology((url) => storePoints(url, interval, say), say);
    const figures = [await compare('before', topology, interval.to, say)];
    const writer = startWriter(topology.writes);
    say(`sending ${rate} requests a second for ${seconds} s`);
    const [polled, killed] = await Promise.all([
      poll({
        clients: CLIENTS,
        seconds,
        everyMs: (CLIENTS * 1000) / rate,
        url: topology.url,
        path: (n) => `/api/v1/${(REQUESTS[n % REQUESTS.length] ?? REQUESTS[0])(n)}`,
      }),
      kill(topology, seconds, say),
    ]);
    say(`${polled.answers} answers, ${polled.errors} failed`);
    const { wrote, longestMs, refused } = await writer.end();
    say('waiting for three nodes');
    await until('three nodes again', 60_000, async () => (await topology.standbys()).length === 2);
    figures.push(await compare('after', topology, interval.to, say));
    return [
      {
        work: `GETs that failed, of ${polled.answers + polled.errors} while services were replaced, and a standby and the primary were killed`,
        value: polled.errors,
        unit: '',
        bar: { atMost: 0 },
        ...noteOf(polled),
      },
      { work: 'GETs: p99', value: polled.p99Ms, unit: 'ms', note: `median ${polled.p50Ms.toFixed(1)} ms` },
      {
        work: 'longest time without a write',
        value: longestMs,
        unit: 'ms',
        bar: { atMost: 30_000 },
        note: `${wrote} written, ${refused} refused; another node led after ${(killed.ledMs / 1000).toFixed(1)} s`,
      },
      ...figures,
    ];
  },
};

/** Replaces the services, kills a standby and starts it again, then does the same to the primary. */
async function kill(topology: Topology, seconds: number, say: Say): Promise<{ ledMs: number }> {
  await sleep(seconds * 42);
  say('replacing the services one by one');
  await Promise.all([topology.replaceServices(), sleep(seconds * 125)]);
  const [standby] = await topology.standbys();
  if (!standby) throw new Error('There is no standby');
  say(`killing the standby ${standby.name}`);
  standby.kill();
  await sleep(seconds * 125);
  say('starting it again');
  standby.start();
  await sleep(seconds * 167);
  const primary = await topology.primary();
  say(`killing the primary ${primary.name}`);
  primary.kill();
  const killed = performance.now();
  await until('another primary', 60_000, async () => (await topology.primary()).name !== primary.name);
  const ledMs = performance.now() - killed;
  say(`${(await topology.primary()).name} leads after ${(ledMs / 1000).toFixed(1)} s`);
  await sleep(seconds * 83);
  say('starting the old primary again');
  primary.start();
  return { ledMs };
}

/** Stores a point every 100 ms, as a recorder does, and reconnects after a failure. */
function startWriter(url: string) {
  let isOver = false;
  let wrote = 0;
  let refused = 0;
  let longestMs = 0;
  const work = (async () => {
    let client: pg.Client | undefined;
    let last = performance.now();
    while (!isOver) {
      try {
        if (!client) {
          client = new pg.Client({
            connectionString: url,
            connectionTimeoutMillis: 1000,
            query_timeout: 2000,
          });
          client.on('error', () => {});
          await client.connect();
        }
        await client.query('insert into audio_data (time, rms_db, frequency_hz) values (now(), -30, 440)');
        longestMs = Math.max(longestMs, performance.now() - last);
        last = performance.now();
        wrote++;
      } catch {
        refused++;
        client?.connection.stream.destroy();
        client = undefined;
      }
      await sleep(100);
    }
    longestMs = Math.max(longestMs, performance.now() - last);
    client?.connection.stream.destroy();
  })();
  return {
    async end() {
      isOver = true;
      await work;
      return { wrote, refused, longestMs };
    },
  };
}

/** Compares summaries of every period on the standbys with the primary's, at the same log position. */
async function compare(when: string, topology: Topology, to: string, say: Say): Promise<Figure> {
  say(`comparing summaries on the standbys with the primary's, ${when} the kills`);
  const [primary, standbys] = [await topology.primary(), await topology.standbys()];
  const all = [primary, ...standbys];
  // background jobs would keep writing
  const workers = (what: string) =>
    withClient(primary.admin, (client) =>
      client.query(`select _timescaledb_functions.${what}_background_workers()`),
    );
  await workers('stop');
  let found: { position: string; different: number; compared: number } | undefined;
  await until('moment in which nothing was written', 60_000, async () => {
    const before = await positionOf(primary);
    await until('standbys at its position', 20_000, async () => {
      const positions = await Promise.all(standbys.map(positionOf));
      return positions.every((position) => position === before);
    });
    const answers = await Promise.all(all.map((node) => summaries(node, to)));
    const after = await Promise.all(all.map(positionOf));
    if (after.some((position) => position !== before)) return false;
    const [ours = [], ...others] = answers;
    const different = others.flatMap((theirs) => theirs.filter((text, i) => text !== ours[i])).length;
    found = { position: before, different, compared: others.flat().length };
    return true;
  });
  await workers('start');
  if (!found || found.compared === 0) throw new Error('Nothing was compared');
  return {
    work: `summaries on standbys that differ from the primary's, ${when} the kills`,
    value: found.different,
    unit: '',
    bar: { atMost: 0 },
    note: `${found.compared} compared at ${found.position}`,
  };
}

/** The log position up to which a node has written or replayed. */
function positionOf({ url }: Node): Promise<string> {
  return withClient(url, async (client) => {
    const { rows } = await client.query(
      `select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end::text as lsn`,
    );
    return rows[0].lsn;
  });
}

/** Summaries of every period as text, each ending at four different times. */
function summaries({ url }: Node, to: string): Promise<string[]> {
  return withService(url, async (store) => {
    const texts: string[] = [];
    for (let n = 0; n < 4; n++)
      for (const seconds of Object.values(PERIOD_SECONDS)) {
        const end = new Date(Date.parse(to) - n * 977_000).toISOString().replace('Z', '000Z');
        texts.push(JSON.stringify(await summary(store, windowBefore(end, seconds))));
      }
    return texts;
  });
}
