// Checks whether an existing audio_data fits the contract and can be adopted. Changes nothing.
import type pg from 'pg';
import { COLUMNS, type Column } from '../contract/point.ts';
import { audioData } from './schema.ts';
import type { timescaleLayout } from './timescale/timescale-or-plain.ts';

const MINUTE_COLUMNS =
  'bucket timestamp with time zone, point_count bigint, level_count bigint, level_sum numeric, min_db real, max_db real, power_sum double precision, silence_count bigint';

const PERIODS_COLUMNS =
  'since timestamp with time zone, weighting text, time_weighting text, reference_db double precision, calibration_db double precision, interval_ms integer, channel text, statistic text, instrument text, counts_overload boolean, clock text';

const KINDS: Record<string, string> = {
  v: 'a view',
  m: 'a materialized view',
  f: 'a foreign table',
  p: 'a partitioned table',
};

interface Found {
  oid: number;
  relkind: string;
  owned: boolean;
  inherited: boolean;
  /** Names and types, in column order. */
  columns: string;
}

/** The state of the tables, and whether the migration should use TimescaleDB's layout. */
type Extension = Awaited<ReturnType<typeof timescaleLayout>> & { readonly timescaledb: boolean };

/** Also locks writers out until the transaction ends. @throws an Error that lists everything that does not fit */
export async function assertAdoptable(client: pg.Client, extension: Extension): Promise<void> {
  const faults: string[] = [];
  const { rows: schema } = await client.query('select current_schema() as name');
  if (schema[0].name === null) throw new Error('The search_path names no schema that exists');
  const table = await find(client, 'audio_data');
  if (table) faults.push(...(await tableFaults(client, table, extension)));
  for (const [name, kind, columns, isLaidOut] of [
    ['audio_data_1min', 'v', MINUTE_COLUMNS, extension.isContinuousAggregate === extension.timescaledb],
    ['audio_data_periods', 'r', PERIODS_COLUMNS, true],
  ] as const) {
    const found = await find(client, name);
    if (found && !(found.relkind === kind && found.columns === columns && isLaidOut))
      faults.push(`${name} already exists, but is not ours: rename or drop it`);
  }
  if (faults.length > 0)
    throw new Error(
      `The database does not fit, and nothing was changed:\n${faults.map((fault) => `- ${fault}`).join('\n')}`,
    );
}

async function tableFaults(client: pg.Client, table: Found, { timescaledb, isHypertable }: Extension) {
  if (table.relkind !== 'r')
    return [`audio_data is ${KINDS[table.relkind] ?? 'not a table'}, but must be an ordinary table`];
  if (!table.owned) return ['audio_data belongs to another role: migrate as its owner'];
  if (table.inherited && !isHypertable) return ['audio_data has child tables or a parent'];
  await client.query('lock table audio_data in share row exclusive mode');
  const { faults, names } = await lookAtColumns(client, table.oid);
  const keys = timescaledb && !isHypertable ? await keyFaults(client, table.oid) : [];
  // rows can be checked only if their columns are right
  const rows = faults.length > 0 ? [] : await rowFaults(client, names);
  return [...faults, ...keys, ...(await indexFaults(client, table.oid)), ...rows];
}

/** Those that the first migration creates. Later ones add the others, which may be missing. */
const FIRST_COLUMNS: readonly Column[] = ['time', 'rms_db', 'frequency_hz', 'is_silence'];

async function lookAtColumns(client: pg.Client, oid: number) {
  const { rows } = await client.query(
    `select attname as name, format_type(atttypid, atttypmod) as type, attgenerated <> '' as generated,
       attnotnull and not atthasdef and attidentity = '' as demanding
     from pg_attribute where attrelid = $1 and attnum > 0 and not attisdropped order by attnum`,
    [oid],
  );
  const faults: string[] = [];
  for (const name of COLUMNS) {
    const column = rows.find((row) => row.name === name);
    const type = audioData[name].getSQLType();
    if (!column && FIRST_COLUMNS.includes(name)) faults.push(`audio_data has no column ${name} (${type})`);
    if (!column) continue;
    if (column.type !== type) faults.push(`audio_data.${name} is ${column.type}, but must be ${type}`);
    else if (column.generated) faults.push(`audio_data.${name} is generated, so no point can be stored`);
  }
  for (const { name, demanding } of rows)
    if (demanding && !COLUMNS.includes(name))
      faults.push(`audio_data.${name} is NOT NULL without a default, so no point could be stored`);
  return { faults, names: rows.map(({ name }): string => name) };
}

/** Conditions that rule a row out, with the end of the message "N rows of audio_data …". */
const BAD_ROWS: readonly [Column, condition: string, reads: string][] = [
  ['time', 'time is null', 'have no time'],
  ['time', 'not isfinite(time)', 'have an infinite time'],
  ['is_silence', 'is_silence is null', 'have no is_silence'],
  ['rms_db', 'not rms_db between -50.0 and 0.0', 'have rms_db outside -50 to 0'],
  ['frequency_hz', 'not frequency_hz between 100 and 8000', 'have frequency_hz outside 100 to 8000'],
];

async function rowFaults(client: pg.Client, columns: readonly string[]): Promise<string[]> {
  const counts = BAD_ROWS.filter(([column]) => columns.includes(column)).map(
    ([, condition, reads]) => `count(*) filter (where ${condition}) as "${reads}"`,
  );
  const { rows } = await client.query<Record<string, string>>(`select ${counts.join()} from audio_data`);
  return Object.entries(rows[0] ?? {})
    .filter(([, count]) => count !== '0')
    .map(([reads, count]) => `${count} rows of audio_data ${reads}`);
}

/** Unique indexes that a hypertable refuses because they lack its time column. */
async function keyFaults(client: pg.Client, oid: number): Promise<string[]> {
  const { rows } = await client.query(
    `select indexrelid::regclass::text as name from pg_index
     where indrelid = $1 and indisunique and not exists (
       select from pg_attribute a where a.attrelid = indrelid and a.attname = 'time' and a.attnum = any(indkey))`,
    [oid],
  );
  return rows.map(({ name }) => `the unique index ${name} lacks the column time, which a hypertable needs`);
}

async function indexFaults(client: pg.Client, oid: number): Promise<string[]> {
  const { rows } = await client.query(
    `select from pg_class c where c.relnamespace = quote_ident(current_schema())::regnamespace
       and c.relname = 'audio_data_time_idx' and not exists (
         select from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
         where i.indexrelid = c.oid and i.indrelid = $1 and a.attname = 'time' and i.indpred is null)`,
    [oid],
  );
  return rows.length > 0 ? ['the name audio_data_time_idx is taken by something else'] : [];
}

async function find(client: pg.Client, name: string): Promise<Found | undefined> {
  const { rows } = await client.query<Found>(
    `select oid, relkind, pg_has_role(relowner, 'usage') as owned,
       exists (select from pg_inherits where oid in (inhparent, inhrelid)) as inherited,
       (select string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' order by attnum)
        from pg_attribute where attrelid = pg_class.oid and attnum > 0 and not attisdropped) as columns
     from pg_class where relnamespace = quote_ident(current_schema())::regnamespace and relname = $1`,
    [name],
  );
  return rows[0];
}
