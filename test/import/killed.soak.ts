// Posts and messages while senders, importers, databases and brokers are killed: none is lost, and none stored twice.
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'mqtt';
import { expect, inject, it, onTestFinished } from 'vitest';
import { migrate } from '../../src/cli/migrate.ts';
import { QualityOutput } from '../../src/operations/stats/quality/contract.ts';
import { freePort, startCluster, timescaleSettings, withClient } from '../cluster.ts';
import { needs } from '../needs.ts';
import { mosquitto, startMosquitto } from '../notify/mosquitto.ts';
import { dataFolder, start, startKillable, temporaryFolder } from '../process.ts';
import { soakNumber } from '../seeded.ts';

const DELIVERIES = soakNumber('DELIVERIES', 2000);
/** Recent, because old points expire. */
const FIRST_MS = Date.now() - 3_600_000;
const COLUMNS = ['--columns', 'time=t,level=db'];
const bodyOf = (n: number) => JSON.stringify({ t: FIRST_MS + n * 100, db: -(n % 50) });

interface Store {
  readonly environment: Record<string, string>;
  kill(): Promise<void>;
  /** How many points there are, and how many have the time of another. */
  counts(): Promise<unknown>;
}
/** Sends a body. Rejects unless it is acknowledged. */
type Send = (body: string) => Promise<void>;

async function openEmbedded(): Promise<Store> {
  const environment = { DATA_DIR: dataFolder() };
  const service = await startKillable(environment);
  const from = new Date(FIRST_MS).toISOString();
  const times = new URLSearchParams({ from, to: new Date(FIRST_MS + DELIVERIES * 100).toISOString() });
  return {
    environment,
    kill: service.kill,
    async counts() {
      const answer = await fetch(`${await service.address()}/api/v1/stats/quality?${times}`);
      const { point_count, repeated_count } = QualityOutput.parse(await answer.json());
      return [point_count, repeated_count];
    },
  };
}

async function openServer(settings: Record<string, string>): Promise<Store> {
  const cluster = await startCluster(inject('postgresBin') ?? '', { ...settings, synchronous_commit: 'on' });
  onTestFinished(() => cluster.stop());
  await migrate({ url: cluster.url });
  return {
    environment: { DATABASE_URL: cluster.url, DATA_DIR: temporaryFolder() },
    kill: () => cluster.crash(1000 * Math.random()),
    counts: () =>
      withClient(cluster.url, async (client) => {
        const { rows } = await client.query(
          'select count(*)::int, count(distinct time)::int as times from audio_data',
        );
        return [rows[0].count, rows[0].count - rows[0].times];
      }),
  };
}

const bin = inject('postgresBin');
const stores: [string, () => Promise<Store>, object][] = [
  ['the embedded database', openEmbedded, {}],
  ['PostgreSQL', () => openServer({}), needs('PostgreSQL', bin)],
  ['TimescaleDB', () => openServer(timescaleSettings), needs('TimescaleDB', inject('timescale'))],
];

/** An importer that is killed and started again. */
function startImporter(args: readonly string[], { environment }: Store) {
  const begin = () => start(['import', ...args, ...COLUMNS], environment);
  let running = begin();
  return {
    async kill() {
      running.kill('SIGKILL');
      await running.ended;
      running = begin();
    },
    stop: () => running.stop(),
    output: () => running.output(),
  };
}

/** Sends everything, ten at once, each until it is acknowledged, and kills one thing after the other meanwhile. */
async function sendAll(send: Send, kills: readonly (() => Promise<void>)[]): Promise<number> {
  let [next, killed, isOver] = [0, 0, false];
  async function work(): Promise<void> {
    while (next < DELIVERIES) {
      const body = bodyOf(next++);
      await sleep(40 * Math.random()); // a message leaves in less than a millisecond
      const isSent = () =>
        send(body).then(
          () => true,
          () => false,
        );
      while (!(await isSent())) await sleep(20);
    }
  }
  const killing = (async () => {
    for (; !isOver; killed++) {
      await sleep(Math.min(2000, DELIVERIES) * Math.random());
      if (!isOver) await kills[killed % kills.length]?.();
    }
  })();
  await Promise.all(Array.from({ length: 10 }, work));
  isOver = true;
  await killing;
  return killed;
}

for (const [name, open, options] of stores)
  it(`Posts are stored once on ${name}`, { ...options, timeout: 1_200_000 }, async () => {
    const store = await open();
    const port = await freePort();
    const importer = startImporter(['--listen', `127.0.0.1:${port}`], store);
    let isGone = new AbortController();
    const send = async (body: string) => {
      const signal = AbortSignal.any([isGone.signal, AbortSignal.timeout(10_000)]);
      const { status } = await fetch(`http://127.0.0.1:${port}/default`, { method: 'POST', body, signal });
      if (status !== 204) throw new Error(`${status}`);
    };
    const killSender = async () => {
      isGone.abort();
      isGone = new AbortController();
    };
    const kills = await sendAll(send, [importer.kill, store.kill, killSender]);
    await expect.poll(store.counts).toEqual([DELIVERIES, 0]);
    expect(await importer.stop()).toBe(0);
    console.log(`${name}: ${DELIVERIES} posts, ${kills} kills`);
  });

for (const [name, open, options] of stores)
  it(`Messages are stored once on ${name}`, {
    ...needs('mosquitto', mosquitto),
    ...options,
    timeout: 1_200_000,
  }, async () => {
    const store = await open();
    const broker = await startMosquitto({ persists: true });
    const importer = startImporter(['--mqtt', `mqtt://${broker.host}/level`], store);
    await expect.poll(importer.output).toContain('Subscribed');
    const begin = () => connect(`mqtt://${broker.host}`, { reconnectPeriod: 50 }).on('error', () => {});
    let sender = begin();
    onTestFinished(() => void sender.end(true));
    const send = async (body: string) => {
      const sent = sender.publishAsync('level', body, { qos: 1 });
      await Promise.race([sent, sleep(5000).then(() => Promise.reject(new Error('late')))]);
    };
    const killSender = async () => {
      sender.end(true);
      sender = begin();
    };
    const killBroker = async () => {
      await broker.end();
      await broker.start();
    };
    const kills = await sendAll(send, [importer.kill, store.kill, killSender, killBroker]);
    await expect.poll(store.counts).toEqual([DELIVERIES, 0]);
    expect(await importer.stop()).toBe(0);
    console.log(`${name}: ${DELIVERIES} messages, ${kills} kills`);
  });
