// Measures exports: the speed of CSV against psql's \copy, memory with many points and many readers, and Parquet.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parquetMetadata } from 'hyparquet';
import { z } from 'zod';
import { CSV_HEADER } from '../src/contract/point.ts';
import { AppError } from '../src/errors.ts';
import { type Child, startService, watchMemory } from './child.ts';
import { elapsed } from './compare.ts';
import { type Connection, linesIn, openConnection } from './connection.ts';
import { type Benchmark, digits, type Figure, type Say } from './figure.ts';
import { type Interval, startWithTable, storePoints, untilNow, within } from './points-table.ts';
import { copyPoints, hashOfPsql, openPsql } from './psql.ts';
import { inTurn, ratioOf } from './rounds.ts';

const count = (standard: number) => z.coerce.number().int().min(1000).default(standard);
const Options = z.object({ points: count(1_000_000), many: count(10_000_000) });

const ROUNDS = 5;
const AT_ONCE = 8;

export const csv: Benchmark = {
  usage: `
  npm run bench -- csv [--points 1000000] [--many 10000000] [--json FILE]

  --points   of the timed export, and of each of the ${AT_ONCE} concurrent exports
  --many     of the export whose memory is measured`,
  options: Object.keys(Options.shape),

  async run(values, say) {
    const { data: options, error } = Options.safeParse(values);
    if (!options) throw new AppError('BAD_REQUEST', `${z.prettifyError(error)}\n${csv.usage}`);
    const { points, many } = options;
    await using server = await startWithTable(say);
    const all = untilNow(Math.max(points, many));
    const part = within(all, 0, points);
    await storePoints(server.url, part, say);
    const figures = [await againstPsql(server.url, part, points, say)];
    await storePoints(server.url, { from: part.to, to: all.to }, say);
    const longest = within(all, 0, many);
    const memory = (name: string, readers: number, interval: Interval, rows: number, atMost: number) =>
      memoryAboveIdle(server.url, { name, readers, interval, rows, atMost }, say);
    figures.push(
      await memory(`one export of ${digits(many)} points`, 1, longest, many, 64),
      await memory(`${AT_ONCE} exports of ${digits(points)} points at once`, AT_ONCE, part, points, 128),
      ...(await asParquet(server.url, longest, many, say)),
    );
    return figures;
  },
};

async function againstPsql(database: string, interval: Interval, points: number, say: Say): Promise<Figure> {
  const work = `export of ${digits(points)} points: rows a second against psql`;
  await using service = await startService(database);
  using psql = openPsql(database);
  const connection = openConnection(service.url);
  say(`${work}: comparing the bytes`);
  const expected = await hashOfPsql(database, copyPoints(interval, 'stdout'));
  const { hash, length } = await hashOfExport(connection, interval);
  if (hash !== expected) throw new Error("The export differs from psql's output");
  const ways = {
    ours: async () => {
      const bytes = await readExport(connection, interval);
      if (bytes !== length) throw new Error(`The export has ${bytes} bytes, not ${length}`);
    },
    theirs: () => psql.run(copyPoints(interval, "'/dev/null'")),
  };
  const rounds = await inTurn(ROUNDS, ways, async (way, round) => {
    say(`${work}, ${way === ways.ours ? 'ours' : 'psql'}: round ${round} of ${ROUNDS}`);
    return points / ((await elapsed(way)) / 1000);
  });
  connection.close();
  return { work, ...ratioOf(rounds, (perSecond) => perSecond, 'a second'), bar: { atLeast: 1 }, aim: 1.5 };
}

/** @returns the length of the export in bytes, header included */
async function readExport(
  connection: Connection,
  interval: Interval & { readonly format?: string },
  read?: (piece: Buffer) => void,
): Promise<number> {
  const path = `/api/v1/export/csv?${new URLSearchParams({ ...interval })}`;
  const { status, length, opening } = await connection.get(path, read);
  if (status !== 200) throw new Error(`${status}: ${opening}`);
  return length;
}

/** The SHA-256 of an export without its header, and its length in bytes with the header. */
export async function hashOfExport(connection: Connection, interval: Interval) {
  const hash = createHash('sha256');
  let header = Buffer.byteLength(CSV_HEADER) + 1;
  const length = await readExport(connection, interval, (piece) => {
    hash.update(piece.subarray(header));
    header -= Math.min(header, piece.length);
  });
  return { hash: hash.digest('hex'), length };
}

interface Readers {
  readonly name: string;
  readonly readers: number;
  readonly interval: Interval;
  readonly rows: number;
  readonly atMost: number;
}

/** Measures in a new process, because a process keeps some of the memory that it has used before. */
async function memoryAboveIdle(
  database: string,
  { name, readers, interval, rows, atMost }: Readers,
  say: Say,
): Promise<Figure> {
  const work = `${name}: memory above idle`;
  say(work);
  await using service = await startService(database);
  await sleep(1000);
  const idle = service.memory();
  const start = performance.now();
  const { peak, result } = await watchMemory(service, 20, () =>
    Promise.all(Array.from({ length: readers }, () => timedExport(service, interval, rows))),
  );
  const seconds = digits((performance.now() - start) / 1000);
  const firstEnd = Math.min(...result.map(({ end }) => end));
  const atATime = result.filter(({ begin }) => begin < firstEnd).length;
  const together = readers > 1 ? `, ${atATime} at a time` : '';
  const note = `${digits(idle)} MB idle, ${digits(peak)} MB at most; ${seconds} s${together}`;
  return { work, value: peak - idle, unit: 'MB', bar: { atMost }, note };
}

async function asParquet(database: string, interval: Interval, rows: number, say: Say): Promise<Figure[]> {
  const work = `one export of ${digits(rows)} points as Parquet`;
  say(work);
  await using service = await startService(database);
  await sleep(1000);
  const connection = openConnection(service.url);
  const pieces: Buffer[] = [];
  const [idle, cpuMs] = [service.memory(), service.cpuMs()];
  const { peak } = await watchMemory(service, 20, () =>
    readExport(connection, { ...interval, format: 'parquet' }, (piece) => pieces.push(Buffer.from(piece))),
  );
  const usedMs = service.cpuMs() - cpuMs;
  connection.close();
  const file = Uint8Array.from(Buffer.concat(pieces)).buffer;
  const found = Number(parquetMetadata(file).num_rows);
  if (found !== rows) throw new Error(`An export of ${rows} points has ${found} rows`);
  const size = digits(file.byteLength / rows);
  return [
    {
      work: `${work}: memory above idle`,
      value: peak - idle,
      unit: 'MB',
      bar: { atMost: 64 },
      note: `${digits(idle)} MB idle, ${digits(peak)} MB at most; ${size} bytes a point`,
    },
    {
      work: `${work}: rows a second of processor time`,
      value: (rows / usedMs) * 1000,
      unit: '',
      bar: { atLeast: 1_000_000 },
    },
  ];
}

/** Reads an export. Returns the times of its first and its last byte. */
async function timedExport({ url }: Child, interval: Interval, rows: number) {
  const connection = openConnection(url);
  let begin = 0;
  let lines = -1; // the header does not count
  await readExport(connection, interval, (piece) => {
    begin ||= performance.now();
    lines += linesIn(piece);
  });
  connection.close();
  if (lines !== rows) throw new Error(`An export of ${rows} points has ${lines} rows`);
  return { begin, end: performance.now() };
}
