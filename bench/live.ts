// Measures the stream of new points: delay, processor and memory with many listeners, and its cost for other callers.
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventSource } from 'eventsource';
import { LiveEvent } from '../src/operations/audio/live/contract.ts';
import { withClient } from '../test/cluster.ts';
import { type Child, startService } from './child.ts';
import type { Benchmark, Figure } from './figure.ts';
import { startWithTable, storePoints, untilNow } from './points-table.ts';
import { poll } from './pollers.ts';

const LISTENERS = 1000;
const STOPPED = 20;
const SECONDS = 20;
const POINTS_A_SECOND = 10;
/** How many of the listeners report when points arrive; the others only read. */
const REPORTING = 50;

export const live: Benchmark = {
  usage: '\n  npm run bench -- live [--json FILE]',
  options: [],

  async run(_, say) {
    await using server = await startWithTable(say);
    await storePoints(server.url, untilNow(200_000), say);
    await using service = await startService(server.url, streamSlots);
    await poll({ ...latest(service), clients: 16, seconds: 5, everyMs: 0 });
    const idle = service.memory();
    say('latest alone');
    const alone = await poll({ ...latest(service), clients: 4, seconds: 5, everyMs: 0 });

    say(`${LISTENERS} listeners`);
    using listeners = await listen(service, LISTENERS);
    const calm = await write(server.url, service, listeners);
    say(`${STOPPED} more, which stop reading`);
    using stopped = await listen(service, STOPPED);
    for (const answer of stopped.answers) answer.pause();
    const beside = await write(server.url, service, listeners);
    say('latest beside them');
    const [polled] = await Promise.all([
      poll({ ...latest(service), clients: 4, seconds: 5, everyMs: 0 }),
      write(server.url, service, listeners, 5),
    ]);
    const used = service.memory() - idle;
    listeners[Symbol.dispose]();
    say(`${LISTENERS} listeners of /trpc`);
    const subscribers = await listen(service, LISTENERS, '/trpc/audio.live?input={}');
    const subscribed = await write(server.url, service, subscribers);
    subscribers[Symbol.dispose]();
    say(`SIGTERM with ${LISTENERS} streams`);
    const ended = await terminate(server.url);
    const who = `${LISTENERS.toLocaleString('en')} listeners, ${POINTS_A_SECOND} points a second`;
    return [
      {
        work: `${who}: processor, of one core`,
        value: calm.core,
        unit: '',
        bar: { atMost: 0.15 },
        note: `${calm.points} points, ${calm.delays.length} delays`,
      },
      {
        work: `${who}: memory above idle`,
        value: used,
        unit: 'MB',
        bar: { atMost: 150 },
        note: `idle ${idle.toFixed(0)} MB`,
      },
      {
        work: `${who}, on /trpc: processor, of one core`,
        value: subscribed.core,
        unit: '',
        note: `${subscribed.points} points, ${subscribed.delays.length} delays`,
      },
      delay(`${who}: from insert to client, p99`, calm),
      delay(`the same, ${STOPPED} readers stopped`, beside),
      {
        work: 'latest beside them, against latest alone',
        value: polled.answers / alone.answers,
        unit: '',
        bar: { atLeast: 0.95 },
        note: `${alone.answers} answers alone, ${polled.answers} beside`,
      },
      {
        work: `SIGTERM with ${LISTENERS} streams: exit after`,
        value: ended.ms,
        unit: 'ms',
        bar: { atMost: 2000 },
      },
      {
        work: 'listeners that lost or repeated a point after reconnecting elsewhere',
        value: ended.wrong,
        unit: '',
        bar: { atMost: 0 },
        note: `${ended.points} points, ${ended.cuts} cuts`,
      },
    ];
  },
};

/** One caller may have 100 streams, so each listener is another caller behind a trusted proxy. */
const streamSlots = { MAX_STREAMS: String(2 * LISTENERS), TRUST_PROXY: '127.0.0.1' };

let callers = 0;
const ofNewCaller = () => ({ 'x-forwarded-for': `10.0.${(++callers >> 8) % 256}.${callers % 256}` });

const latest = ({ url }: Child) => ({ url, path: () => '/api/v1/audio/latest' });

interface Listeners extends Disposable {
  readonly answers: readonly IncomingMessage[];
  /** Called with the time of each point that a listener receives. */
  onPoint: (time: string) => void;
}

async function listen({ url }: Child, count: number, path = '/api/v1/audio/live'): Promise<Listeners> {
  const requests: ClientRequest[] = [];
  const begin = () =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { accept: 'text/event-stream', ...ofNewCaller() };
      requests.push(get(`${url}${path}`, { agent: false, headers }, resolve).on('error', reject));
    });
  const answers: IncomingMessage[] = [];
  while (answers.length < count) {
    // a caller may have only so many waiting requests
    const some = Math.min(100, count - answers.length);
    answers.push(...(await Promise.all(Array.from({ length: some }, begin))));
  }
  const refused = answers.find(({ statusCode }) => statusCode !== 200);
  if (refused) throw new Error(`${path}: a listener got ${refused.statusCode}`);
  const listeners: Listeners = {
    answers,
    onPoint: () => {},
    [Symbol.dispose]: () => {
      for (const request of requests) request.destroy();
    },
  };
  for (const [index, answer] of answers.entries()) {
    answer.on('error', () => {});
    answer.on('data', (text: Buffer) => {
      if (index >= REPORTING) return;
      for (const [, time = ''] of text.toString().matchAll(/"time":"([^"]+)"/g)) listeners.onPoint(time);
    });
  }
  return listeners;
}

interface Written {
  readonly points: number;
  /** Sorted, in milliseconds. */
  readonly delays: number[];
  /** The share of a core that the service used. */
  readonly core: number;
}

async function write(
  database: string,
  service: Child,
  listeners: Listeners,
  seconds = SECONDS,
): Promise<Written> {
  const stored = new Map<string, number>();
  const delays: number[] = [];
  listeners.onPoint = (time) => {
    const at = stored.get(time);
    if (at !== undefined) delays.push(performance.now() - at);
  };
  const [began, used] = [performance.now(), service.cpuMs()];
  await withClient(database, async (client) => {
    for (const end = began + seconds * 1000; performance.now() < end; ) {
      const time = new Date().toISOString().replace('Z', '000Z');
      await client.query(`insert into audio_data values ('${time}', -20, 440, false)`);
      stored.set(time, performance.now());
      await sleep(1000 / POINTS_A_SECOND);
    }
  });
  await sleep(1000);
  const core = (service.cpuMs() - used) / (performance.now() - began);
  return { points: stored.size, delays: delays.sort((a, b) => a - b), core };
}

interface Ended {
  /** From the signal to the exit of the process. */
  readonly ms: number;
  /** How many listeners did not receive exactly the points of the table. */
  readonly wrong: number;
  readonly points: number;
  readonly cuts: number;
}

/** Ends a service with open streams while points are written; its listeners reconnect to another service. */
async function terminate(database: string): Promise<Ended> {
  const first = await startService(database, streamSlots);
  let at = first.url;
  let cuts = 0;
  const listener = () => {
    let points: string[] = [];
    const caller = ofNewCaller();
    const source = new EventSource('http://service/api/v1/audio/live', {
      fetch: (url, init) =>
        fetch(`${at}${new URL(url).pathname}`, { ...init, headers: { ...init.headers, ...caller } }),
    });
    const begun = new Promise((resolve) => {
      source.onopen = resolve;
    });
    source.onerror = () => cuts++;
    source.onmessage = ({ data }) => {
      const event = LiveEvent.parse(JSON.parse(data));
      const { restart_from } = event;
      if (restart_from !== null) points = points.filter((time) => time < restart_from);
      points.push(...event.points.map(({ time }) => time));
    };
    return { source, begun, points: () => points };
  };
  const listeners: ReturnType<typeof listener>[] = [];
  while (listeners.length < LISTENERS) {
    const some = Array.from({ length: 100 }, listener);
    await Promise.all(some.map(({ begun }) => begun));
    listeners.push(...some);
  }
  await sleep(1000);
  const times: string[] = [];
  const isWritten = withClient(database, async (client) => {
    for (let n = 0; n < 10 * POINTS_A_SECOND; n++) {
      const time = new Date().toISOString().replace('Z', '000Z');
      await client.query(`insert into audio_data values ('${time}', -20, 440, false)`);
      times.push(time);
      await sleep(1000 / POINTS_A_SECOND);
    }
  });
  await sleep(3000);
  await using second = await startService(database, streamSlots);
  at = second.url;
  const began = performance.now();
  await first[Symbol.asyncDispose]();
  const ms = performance.now() - began;
  await isWritten;
  const isWrong = ({ points }: (typeof listeners)[number]) => points().join() !== times.join();
  for (let n = 0; n < 100 && listeners.some(isWrong); n++) await sleep(100);
  for (const { source } of listeners) source.close();
  return { ms, wrong: listeners.filter(isWrong).length, points: times.length, cuts };
}

function delay(work: string, { delays }: Written): Figure {
  const at = (share: number) => delays[Math.floor(delays.length * share)] ?? Number.POSITIVE_INFINITY;
  const note = `median ${at(0.5).toFixed(0)} ms, ${delays.length} seen`;
  return { work, value: at(0.99), unit: 'ms', bar: { atMost: 400 }, note };
}
