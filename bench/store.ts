// Compares writes into a columnstore chunk and a chunk of rows, and writes with and without rollups.
import type pg from 'pg';
import { z } from 'zod';
import { migrate } from '../src/cli/migrate.ts';
import { AppError } from '../src/errors.ts';
import { timescaleSettings, withClient } from '../test/cluster.ts';
import { elapsed } from './compare.ts';
import { type Benchmark, type Figure, median, type Say } from './figure.ts';
import { inTurn, ratioOf } from './rounds.ts';
import { asOwner, inNewDatabase, openTimescale, startServer } from './server.ts';

const Options = z.object({ runs: z.coerce.number().int().positive().default(7), url: z.string().optional() });

/** Ten points a second for a day. */
const POINTS = `
  insert into audio_data (time, rms_db, frequency_hz, is_silence)
  select '2026-01-01Z'::timestamptz + n * interval '100 ms',
    -10 - 40 * random(), 100 + floor(7900 * random())::int, random() < 0.05
  from generate_series(0, 10 * 86400 - 1) as n`;

/** An hour of the day, a different one in each round. */
const hour = (round: number) => `'2026-01-01Z'::timestamptz + interval '${round % 24} hours'`;
const points = (round: number, step: string, count: number) => `
  insert into audio_data (time, rms_db, frequency_hz, is_silence)
  select ${hour(round)} + n * interval '${step}' + interval '37 ms',
    -10 - 40 * random(), 100 + floor(7900 * random())::int, false
  from generate_series(1, ${count}) as n`;
const single = (round: number, second: number) =>
  `insert into audio_data (time, rms_db) values (${hour(round)} + interval '${second} s', -20)`;
const fiveMinutes = (round: number) =>
  `time >= ${hour(round)} and time < ${hour(round)} + interval '5 minutes'`;

interface Work {
  readonly name: string;
  sql(round: number): string[];
  /** The bar, as a multiple of the time in a chunk of rows. */
  readonly atMost: number;
}

/** The bar for an update is the highest, because an update moves whole batches back into rows. */
const WORK: readonly Work[] = [
  {
    name: '100 points, one by one',
    sql: (round) => Array.from({ length: 100 }, (_, second) => single(round, second)),
    atMost: 1.3,
  },
  { name: '3,000 points at once', sql: (round) => [points(round, '100 ms', 3000)], atMost: 1.3 },
  { name: '3,000 late points over an hour', sql: (round) => [points(round, '1.2 s', 3000)], atMost: 1.3 },
  {
    name: 'an update of 5 minutes',
    sql: (round) => [`update audio_data set rms_db = -30 where ${fiveMinutes(round)}`],
    atMost: 3,
  },
  {
    name: 'a delete of 5 minutes',
    sql: (round) => [`delete from audio_data where ${fiveMinutes(round)}`],
    atMost: 1.3,
  },
];

export const store: Benchmark = {
  usage: '\n  npm run bench -- store [--runs 7] [--url URL] [--json FILE]',
  options: Object.keys(Options.shape),

  async run(values, say) {
    const { data: options, error } = Options.safeParse(values);
    if (!options) throw new AppError('BAD_REQUEST', `${z.prettifyError(error)}\n${store.usage}`);
    await using server = await openTimescale(options.url);
    await using plain = await startServer(DURABLE);
    const inColumns = await inNewDatabase(server.url, 'columns', (columns) =>
      filled(columns, (ours) =>
        inNewDatabase(server.url, 'rows', (rows) =>
          filled(rows, (theirs) => compareBoth({ ours, theirs }, options.runs, say)),
        ),
      ),
    );
    await using durable =
      options.url === undefined ? await startServer({ ...timescaleSettings, ...DURABLE }) : server;
    return [
      ...inColumns,
      ...(await againstNoRollups('PostgreSQL', plain.url, options.runs, say)),
      ...(await againstNoRollups('TimescaleDB', durable.url, options.runs, say)),
    ];
  },
};

/** A commit waits for the disk, as on a real server. */
const DURABLE = { fsync: 'on', synchronous_commit: 'on' };

/** Inserts, each in its own transaction. Each round inserts at different times. */
const INSERTS: readonly Work[] = [
  {
    name: '50 batches of 1,000 points',
    sql: (round) => Array.from({ length: 50 }, (_, batch) => batchOf(1000, round, batch)),
    atMost: 1 / 0.8,
  },
  {
    name: '500 points, one by one',
    sql: (round) => Array.from({ length: 500 }, (_, batch) => batchOf(1, round, batch)),
    atMost: 1 / 0.6,
  },
];

const batchOf = (size: number, round: number, batch: number) => `
  insert into audio_data (time, rms_db, frequency_hz, is_silence)
  select '2026-01-01Z'::timestamptz + ${round} * interval '1 day' + (${batch} * ${size} + n) * interval '100 ms',
    -10 - 40 * random(), 100 + floor(7900 * random())::int, false
  from generate_series(0, ${size - 1}) as n`;

/** Stops recording changes. */
const NO_TRIGGERS = 'alter table audio_data disable trigger user';

async function againstNoRollups(server: string, url: string, runs: number, say: Say): Promise<Figure[]> {
  const withTable = <T>(suffix: string, work: (client: pg.Client) => Promise<T>) =>
    inNewDatabase(url, suffix, (own) =>
      withClient(own, async (client) => {
        if (server === 'TimescaleDB') await client.query('create extension if not exists timescaledb');
        await migrate({ url: own, rawRetention: 'off' });
        return work(client);
      }),
    );
  return withTable('noted', (ours) =>
    withTable('bare', async (theirs) => {
      await theirs.query(NO_TRIGGERS);
      const figures: Figure[] = [];
      for (const { name, sql, atMost } of INSERTS) {
        say(`${server}: ${name}`);
        const rounds = await inTurn(runs, { ours, theirs }, (client, round) =>
          elapsed(async () => {
            for (const statement of sql(round)) await client.query(statement);
          }),
        );
        const work = `${server}, ${name}: time against inserts without rollups`;
        figures.push({ work, ...ratioOf(rounds, (ms) => ms, 'ms'), bar: { atMost } });
      }
      return figures;
    }),
  );
}

async function filled<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  return asOwner(url, { rawRetention: 'off' }, async (client) => {
    await client.query(POINTS);
    await client.query('vacuum analyze audio_data');
    return work(client);
  });
}

const CONVERT = `select compress_chunk(chunk, if_not_compressed => true, recompress => false) from show_chunks('audio_data') as chunk`;

async function compareBoth(
  both: { ours: pg.Client; theirs: pg.Client },
  runs: number,
  say: Say,
): Promise<Figure[]> {
  const first = await elapsed(() => both.ours.query(CONVERT));
  const figures: Figure[] = [{ work: 'converting a day of 864,000 points', value: first, unit: 'ms' }];
  const again: number[] = [];
  for (const { name, sql, atMost } of WORK) {
    say(name);
    const rounds = await inTurn(runs, both, async (client, round) => {
      const took = await elapsed(async () => {
        for (const statement of sql(round)) await client.query(statement);
      });
      if (client === both.ours) again.push(await elapsed(() => client.query(CONVERT)));
      return took;
    });
    figures.push({
      work: `${name}: time against rows`,
      ...ratioOf(rounds, (ms) => ms, 'ms'),
      bar: { atMost },
    });
  }
  figures.push({
    work: 'recompressing the day after each round',
    value: median(again, (ms) => ms),
    unit: 'ms',
  });
  return figures;
}
