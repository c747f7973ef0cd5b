// DuckDB as a peer, on a file with the same points. Install it with `npm install --no-save @duckdb/node-api`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Say } from './figure.ts';
import type { Interval } from './points-table.ts';
import { openPsql } from './psql.ts';

export interface DuckDb extends AsyncDisposable {
  /** Runs one statement on two threads. */
  rows(statement: string): Promise<unknown[][]>;
}

/** The part of DuckDB's package that the bench uses. */
interface Package {
  DuckDBInstance: {
    create(
      file: string,
      settings: Record<string, string>,
    ): Promise<{ connect(): Promise<Session>; closeSync(): void }>;
  };
}

interface Session {
  runAndReadAll(statement: string): Promise<{ getRowsJson(): unknown[][] }>;
  closeSync(): void;
}

const PACKAGE = '@duckdb/node-api';

/** Copies the points of a database into a DuckDB file. Undefined if its package is not installed. */
export async function openDuckDb(url: string, say: Say): Promise<DuckDb | undefined> {
  const { DuckDBInstance } = (await import(PACKAGE).catch(() => ({}))) as Partial<Package>;
  if (!DuckDBInstance) return undefined;
  say('copying the points to DuckDB');
  const folder = mkdtempSync(join(tmpdir(), 'audio-metrics-duckdb-'));
  const clear = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', clear);
  const csv = join(folder, 'points.csv');
  using psql = openPsql(url);
  const select = `select time at time zone 'UTC', rms_db, frequency_hz, is_silence from audio_data order by audio_data.time`;
  await psql.run(`\\copy (${select}) to '${csv}' with (format csv)`);
  const database = await DuckDBInstance.create(join(folder, 'points.duckdb'), { threads: '2' });
  const session = await database.connect();
  const rows = async (statement: string) => (await session.runAndReadAll(statement)).getRowsJson();
  await rows(
    `create table audio_data as from read_csv('${csv}', header = false, columns = {
      'time': 'timestamp', 'rms_db': 'float', 'frequency_hz': 'integer', 'is_silence': 'boolean' })`,
  );
  await rows('checkpoint');
  rmSync(csv);
  return {
    rows,
    async [Symbol.asyncDispose]() {
      session.closeSync();
      database.closeSync();
      process.off('exit', clear);
      clear();
    },
  };
}

const timestamp = (instant: string) => `timestamp '${instant.replace('Z', '')}'`;
const within = ({ from, to }: Interval) => `time >= ${timestamp(from)} and time < ${timestamp(to)}`;

/** The figures of a summary, in the order of the contract. */
export function duckSummary(interval: Interval): string {
  return `
    with points as (from audio_data where ${within(interval)}),
    levels as (
      select round(rms_db::double * 10)::int as level, count(*) as points, count(rms_db) as measured,
        sum(rms_db::double) as sum_db, max(rms_db) as max_db, min(rms_db) as min_db,
        sum(pow(10, rms_db::double / 10)) as power, count(*) filter (is_silence) as silent
      from points group by 1
    ),
    reached as (
      select level / 10 as level, sum(measured) over (order by level) as up_to, sum(measured) over () as all_of
      from levels where level is not null
    )
    select sum(points)::double, sum(sum_db) / sum(measured), max(max_db)::double, min(min_db)::double,
      10 * log10(sum(power) / sum(measured)),
      (select min(level) from reached where up_to >= 0.9 * all_of),
      (select min(level) from reached where up_to >= 0.5 * all_of),
      (select min(level) from reached where up_to >= 0.1 * all_of),
      (select frequency_hz from points where frequency_hz is not null group by 1 order by count(*) desc, 1 limit 1),
      100 * sum(silent) / sum(points)
    from levels`;
}

export function duckLatest(limit: number): string {
  return `from audio_data order by time desc limit ${limit}`;
}

export function duckRange(interval: Interval, limit: number): string {
  return `from audio_data where ${within(interval)} order by time limit ${limit}`;
}

export function duckLoud(interval: Interval, threshold: number, limit: number): string {
  return `from audio_data where ${within(interval)} and rms_db > ${threshold}::float order by time desc limit ${limit}`;
}

export function duckCsv(interval: Interval): string {
  return `copy (
    select strftime(time, '%Y-%m-%dT%H:%M:%S.%fZ') as time, rms_db, frequency_hz, is_silence
    from audio_data where ${within(interval)} order by audio_data.time
  ) to '/dev/null' (format csv)`;
}
