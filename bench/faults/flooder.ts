// A process that floods the service in one way until stopped, then reports the statuses that it got.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openConnection } from '../connection.ts';
import type { FloodName } from './floods.ts';
import type { SlowFlood } from './memory.ts';
import { queuedPath } from './probe.ts';

const [name = '', url = '', from = '', to = ''] = process.argv.slice(2);
const [begin, end] = [Date.parse(from), Date.parse(to)];
const { hostname, port, host } = new URL(url);
const seen: { status: number }[] = [];
let stopped = false;
let sent = 0;

type Headers = Readonly<Record<string, string>>;
/** Makes the flood a different caller from the probe, which sends no address. */
const FLOODER: Headers = { 'x-forwarded-for': '192.0.2.0' };

const time = (ms: number) => new Date(ms).toISOString();

/** An interval with this many points, different each time. */
function interval(points: number) {
  const seconds = points / 10;
  const start = begin + ((sent++ * 7919) % Math.max(1, (end - begin) / 1000 - seconds)) * 1000;
  return { from: time(start), to: time(start + seconds * 1000) };
}

const range = () => `/api/v1/audio/range?${new URLSearchParams({ ...interval(10_000), limit: '10000' })}`;
const wholeExport = () => `/api/v1/export/csv?${new URLSearchParams({ from, to })}`;

/** Twenty ranges with different intervals, so that requests share no answer. */
function batch(limit: number): string {
  const inputs = Array.from({ length: 20 }, (_, i) => [i, { ...interval(limit), limit }]);
  const input = encodeURIComponent(JSON.stringify(Object.fromEntries(inputs)));
  return `/trpc/${inputs.map(() => 'audio.range').join(',')}?batch=1&input=${input}`;
}

/** Sends each request after the previous answer, or a second after a refusal, as Retry-After requires. */
async function sendRepeatedly(path: () => string, headers: Headers): Promise<void> {
  const connection = openConnection(url, { ...FLOODER, ...headers });
  while (!stopped) {
    const status = await connection.get(path()).then(
      (answer) => answer.status,
      () => 0,
    );
    seen.push({ status });
    if (status !== 200) await sleep(1000);
  }
}

const many = (count: number, path: () => string, headers: Headers = {}) => {
  for (let n = 0; n < count; n++) sendRepeatedly(path, headers);
};

function connectAndWrite(text: string): Socket {
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => {});
  socket.write(text);
  return socket;
}

function requestOf(path: string, headers: Headers): string {
  const lines = Object.entries({ host, ...headers }).map(([key, value]) => `${key}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

const statusOf = (answer: Buffer) => Number(answer.toString('latin1', 9, 12));

/** Reads a thousand bytes a second of each answer, and repeats the request when disconnected. */
function readSlowly(path: () => string, count: number, callers: number): void {
  const read = async (address: string) => {
    const socket = connectAndWrite(requestOf(path(), { 'x-forwarded-for': address }));
    let open = true;
    socket.once('close', () => {
      open = false;
    });
    socket.pause();
    for (let status = 0; open && !stopped; await sleep(1000)) {
      const piece: Buffer | null = socket.read(1000) ?? socket.read(); // the last piece may be shorter
      if (!piece || status === 200) continue;
      status = statusOf(piece);
      seen.push({ status });
      if (status !== 200) open = false;
    }
    socket.destroy();
    if (!stopped) read(address);
  };
  for (let n = 0; n < count; n++) read(`192.0.2.${n % callers}`);
}

/** Sends this many requests a second, and abandons each after a tenth of a second. */
async function abandon(path: () => string, perSecond: number): Promise<void> {
  while (!stopped) {
    const connection = openConnection(url, FLOODER);
    connection.get(path()).then(
      ({ status }) => seen.push({ status }),
      () => {},
    );
    setTimeout(connection.close, 100);
    await sleep(1000 / perSecond);
  }
}

/** Opens connections that send half a request and no more. */
function hold(count: number): void {
  for (let n = 0; n < count; n++) connectAndWrite('GET /api/v1/audio/latest HTTP/1.1\r\n');
}

/**
 * Opens streams with an event id that was never sent, reads only the status, and then closes and reopens each stream.
 */
function forgeIds(callers: number, streams: number): void {
  const open = async (n: number) => {
    while (!stopped) {
      const at = time(Date.now() - 3_580_000 + (sent++ % 20_000)).replace('Z', '456Z');
      const headers = {
        'x-forwarded-for': `10.0.${(n % callers) >> 8}.${(n % callers) & 255}`,
        'last-event-id': `${at}~100~00f1e2d3c4b5a697`,
      };
      const socket = connectAndWrite(requestOf('/api/v1/audio/live', headers));
      socket.once('data', (piece: Buffer) => {
        socket.pause();
        seen.push({ status: statusOf(piece) });
      });
      await sleep(sent % 2 ? 100 : 2000); // every other stream leaves during its replay
      socket.destroy();
    }
  };
  for (let n = 0; n < streams; n++) open(n);
}

/** Sends a thousand requests at once, repeats them after all answers, and reconnects when disconnected. */
function pipeline(path: string): void {
  const requests = requestOf(path, FLOODER).repeat(1000);
  const socket = connectAndWrite(requests);
  let [unanswered, text] = [1000, ''];
  socket.on('data', (piece) => {
    text += piece.toString('latin1');
    for (const [, status] of text.matchAll(/HTTP\/1\.1 (\d{3})/g)) {
      seen.push({ status: Number(status) });
      unanswered--;
    }
    text = text.slice(-11); // keeps less than a whole match
    if (unanswered > 0) return;
    unanswered = 1000;
    socket.write(requests);
  });
  socket.once('close', () => {
    seen.push({ status: 0 });
    if (!stopped) pipeline(path);
  });
}

const pipelines = (count: number, path: string) => {
  for (let n = 0; n < count; n++) pipeline(path);
};

const quality = () => `/api/v1/stats/quality?${new URLSearchParams(interval(600_000))}`;
const JSON_LINES = { 'trpc-accept': 'application/jsonl' };
const LATEST = '/api/v1/audio/latest';

const floods: Record<FloodName | SlowFlood, () => void> = {
  'slow-4': () => readSlowly(wholeExport, 4, 4),
  'slow-20': () => readSlowly(wholeExport, 20, 1),
  'slow-batches': () => readSlowly(() => batch(10_000), 100, 1),
  'slow-batches-40': () => readSlowly(() => batch(10_000), 100, 40),
  'pages-1': () => readSlowly(range, 300, 1),
  'pages-40': () => readSlowly(range, 300, 40),
  abandoned: () => abandon(() => `/api/v1/stats/summary?period=30d&to=now-${sent++ % 3600}s`, 5),
  ranges: () => many(50, range, { 'accept-encoding': 'zstd' }),
  batches: () => many(10, () => batch(10_000)),
  'batches-10': () => {
    for (let n = 1; n <= 10; n++) many(1, () => batch(10_000), { 'x-forwarded-for': `192.0.2.${n}` });
  },
  jsonl: () => many(10, () => batch(10_000), JSON_LINES),
  connections: () => hold(2000),
  'forged-100': () => forgeIds(1, 100),
  'forged-400': () => forgeIds(400, 400),
  'inherited-position': () => {
    many(90, quality);
    many(1, () => queuedPath({ from, to }));
  },
  'light-batches': () => many(50, () => batch(50)),
  'light-lines': () => many(50, () => batch(1000), JSON_LINES),
  pipelined: () => pipelines(50, LATEST),
  'pipelined-404': () => pipelines(50, '/api/v1/nothing'),
  'pipelined-limited': () => pipelines(50, LATEST),
};

process.once('message', () => {
  stopped = true;
  process.send?.(seen, () => process.exit());
});
floods[name as FloodName | SlowFlood]();
