// Outages: the database is killed, terminated or frozen, or a proxy in front of it breaks the protocol.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from '../../test/cluster.ts';
import { FATAL, onceReady, startProxy } from '../../test/tampering-proxy.ts';
import type { Child } from '../child.ts';
import type { Figure } from '../figure.ts';
import { type Interval, within } from '../points-table.ts';
import { LATEST, LIVE, type Probe, probeWhile } from './probe.ts';
import { firstOkAfter, percentile, type Sample, statusesOf } from './samples.ts';
import type { TestBed } from './test-bed.ts';

const READY: Probe = { path: '/api/v1/health/ready', perSecond: 5 };
const SUMMARY: Probe = { path: '/api/v1/stats/summary?period=1h', perSecond: 5 };

/** The requests during an outage: one for each kind of access to the database. */
const load = (all: Interval): Probe[] => [
  LATEST,
  SUMMARY,
  READY,
  { path: `/api/v1/export/csv?${new URLSearchParams({ ...within(all, 0, 20_000) })}`, perSecond: 2 },
];

const exits = (work: string, service: Child): Figure => ({
  work: `${work}: process exits`,
  value: service.isRunning() ? 0 : 1,
  unit: '',
  bar: { atMost: 0 },
});

/** Counts unexpected answers. Broken ones are expected, because an outage ends the connection of a running export. */
const strange = (work: string, samples: readonly Sample[]): Figure => ({
  work: `${work}: answers other than 200, 503, 504 or broken off`,
  value: samples.filter(({ status }) => ![0, 200, 503, 504].includes(status)).length,
  unit: '',
  bar: { atMost: 0 },
  note: statusesOf(samples),
});

/** Connections end in the first packet that the database sends. */
export async function proxy({ start, database, all, say }: TestBed): Promise<Figure[]> {
  const work = 'connections ended in their first packet';
  say(work);
  const line = await startProxy(database);
  try {
    await using service = await start({}, line.url);
    const { samples } = await probeWhile(service.url, load(all), async () => {
      for (let round = 0; round < 10; round++) {
        line.tamper(round % 2 === 0 ? onceReady(1, () => FATAL) : undefined);
        await sleep(500);
      }
    });
    return [exits(work, service), strange(work, samples.flat())];
  } finally {
    line.close();
  }
}

export async function kills({ start, cluster, database, all, options, say }: TestBed): Promise<Figure[]> {
  await using service = await start();
  const moments: number[] = [];
  const { samples } = await probeWhile(service.url, load(all), async () => {
    for (let kill = 1; kill <= options.kills && service.isRunning(); kill++) {
      say(`kill ${kill} of ${options.kills} of the database under load`);
      await sleep(1000);
      moments.push(Date.now());
      if (kill % 2 === 0) await cluster.crash();
      else await killBackend(database);
      await untilAnswered(service.url);
    }
  });
  const work = `${options.kills} kills of the database`;
  const [latest = []] = samples;
  const firstOk = moments.map((moment) => firstOkAfter(latest, moment));
  return [
    exits(work, service),
    strange(work, samples.flat()),
    { work: `${work}: first 200 of latest after, longest`, value: Math.max(...firstOk), unit: 'ms' },
    { work: `${work}: longest wait for any answer`, value: percentile(samples.flat(), 1), unit: 'ms' },
  ];
}

/** Kills a backend of the service. PostgreSQL then ends all others and recovers. */
async function killBackend(database: string): Promise<void> {
  const { rows } = await withClient(database, (client) =>
    client.query("select pid from pg_stat_activity where application_name = 'audio-metrics' limit 1"),
  );
  if (rows[0]) process.kill(rows[0].pid, 'SIGKILL');
}

async function untilAnswered(url: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const { ok } = await fetch(`${url}${LATEST.path}`).catch(() => ({ ok: false }));
    if (ok) return;
    await sleep(50);
  }
}

const ROUNDS = 40;

export async function terminations({ start, database, all, say }: TestBed): Promise<Figure[]> {
  const work = `${ROUNDS} rounds of pg_terminate_backend`;
  say(work);
  await using service = await start();
  const { samples } = await probeWhile(service.url, load(all), () =>
    withClient(database, async (client) => {
      for (let round = 0; round < ROUNDS; round++) {
        await sleep(250);
        await client.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'audio-metrics'",
        );
      }
    }),
  );
  return [exits(work, service), strange(work, samples.flat())];
}

/** Stops the server and its backends for a while, as if the machine hung. */
export async function freeze({ start, cluster, all, say }: TestBed): Promise<Figure[]> {
  const work = 'a frozen database';
  say(work);
  await using service = await start();
  const pids = () => [cluster.pid, ...childrenOf(cluster.pid)];
  let [begin, end] = [0, 0];
  const { samples } = await probeWhile(service.url, [LIVE, ...load(all)], async () => {
    await sleep(2000);
    const frozen = pids();
    begin = Date.now();
    for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    await sleep(8000);
    end = Date.now();
    for (const pid of frozen) process.kill(pid, 'SIGCONT');
    await untilAnswered(service.url);
  });
  const during = samples.map((each) => each.filter(({ at }) => at > begin && at < end - 1500));
  const [live = [], latest = [], , ready = []] = during;
  return [
    exits(work, service),
    { work: `${work}: p99 of health.live`, value: percentile(live, 0.99), unit: 'ms', bar: { atMost: 100 } },
    {
      work: `${work}: health.ready within`,
      value: percentile(ready, 1),
      unit: 'ms',
      bar: { atMost: 1000 },
      note: statusesOf(ready),
    },
    { work: `${work}: latest within`, value: percentile(latest, 1), unit: 'ms', note: statusesOf(latest) },
    { work: `${work}: first 200 of latest after`, value: firstOkAfter(samples[1] ?? [], end), unit: 'ms' },
  ];
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number);
}
