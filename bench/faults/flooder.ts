// A process that floods the service in one way until it is told to stop, and then says what it was answered.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openConnection } from '../connection.ts';
import type { FloodName } from './floods.ts';

const [name = '', url = '', from = '', to = ''] = process.argv.slice(2);
const [begin, end] = [Date.parse(from), Date.parse(to)];
const { hostname, port, host } = new URL(url);
const seen: { status: number }[] = [];
let stopped = false;
let asked = 0;

const time = (ms: number) => new Date(ms).toISOString();

/** An interval of 100,000 points, another one each time. */
function interval() {
  const start = begin + ((asked++ * 7919) % Math.max(1, (end - begin) / 1000 - 10_000)) * 1000;
  return { from: time(start), to: time(start + 10_000_000) };
}

const range = () => `/api/v1/audio/range?${new URLSearchParams({ ...interval(), limit: '100000' })}`;
const wholeExport = () => `/api/v1/export/csv?${new URLSearchParams({ from, to })}`;

function batch(): string {
  const inputs = Array.from({ length: 20 }, (_, i) => [i, { ...interval(), limit: 100_000 }]);
  const input = encodeURIComponent(JSON.stringify(Object.fromEntries(inputs)));
  return `/trpc/${inputs.map(() => 'audio.range').join(',')}?batch=1&input=${input}`;
}

/** Asks again as soon as it is answered; after a refusal, after a second as it was told. */
async function ask(path: () => string, headers: Record<string, string>): Promise<void> {
  const connection = openConnection(url, headers);
  while (!stopped) {
    const status = await connection.get(path()).then(
      (answer) => answer.status,
      () => 0,
    );
    seen.push({ status });
    if (status !== 200) await sleep(1000);
  }
}

const many = (count: number, path: () => string, headers: Record<string, string> = {}) => {
  for (let n = 0; n < count; n++) ask(path, headers);
};

/** Takes a thousand bytes a second of each answer; asks again when it is broken off. As so many callers. */
function readSlowly(path: () => string, count: number, callers: number): void {
  const read = async (address: string) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => {});
    socket.write(`GET ${path()} HTTP/1.1\r\nhost: ${host}\r\nx-forwarded-for: ${address}\r\n\r\n`);
    let open = true;
    socket.once('close', () => {
      open = false;
    });
    socket.pause();
    for (let status = 0; open && !stopped; await sleep(1000)) {
      const piece: Buffer | null = socket.read(1000) ?? socket.read(); // the last may be shorter
      if (!piece || status === 200) continue;
      status = Number(piece.toString('latin1', 9, 12));
      seen.push({ status });
      if (status !== 200) open = false;
    }
    socket.destroy();
    if (!stopped) read(address);
  };
  for (let n = 0; n < count; n++) read(`192.0.2.${n % callers}`);
}

/** Asks so many times a second, and leaves after a tenth of one. */
async function abandon(path: () => string, perSecond: number): Promise<void> {
  while (!stopped) {
    const connection = openConnection(url);
    connection.get(path()).then(
      ({ status }) => seen.push({ status }),
      () => {},
    );
    setTimeout(connection.close, 100);
    await sleep(1000 / perSecond);
  }
}

/** Connections that say half a request and no more. */
function hold(count: number): void {
  for (let n = 0; n < count; n++) {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => {});
    socket.write('GET /api/v1/audio/latest HTTP/1.1\r\n');
  }
}

const floods: Record<FloodName, () => void> = {
  'slow-4': () => readSlowly(wholeExport, 4, 4),
  'slow-20': () => readSlowly(wholeExport, 20, 1),
  abandoned: () => abandon(() => `/api/v1/stats/summary?period=30d&to=now-${asked++ % 3600}s`, 5),
  ranges: () => many(50, range, { 'accept-encoding': 'zstd' }),
  batches: () => many(10, batch),
  jsonl: () => many(10, batch, { 'trpc-accept': 'application/jsonl' }),
  connections: () => hold(2000),
};

process.once('message', () => {
  stopped = true;
  process.send?.(seen, () => process.exit());
});
floods[name as FloodName]();
