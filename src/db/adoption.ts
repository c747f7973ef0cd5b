// Whether an audio_data that was there before us fits the contract. It looks, and changes nothing.
import type pg from 'pg';

const COLUMNS = {
  time: 'timestamp with time zone',
  rms_db: 'real',
  frequency_hz: 'integer',
  is_silence: 'boolean',
} as const;

const MINUTE_COLUMNS =
  'bucket timestamp with time zone, point_count bigint, level_count bigint, level_sum numeric, min_db real, max_db real, power_sum double precision, silence_count bigint';

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
  hypertable: boolean;
  inherited: boolean;
}

/**
 * Looks at what the migration is about to build on, and holds writers off until its transaction ends.
 *
 * @throws an Error that lists everything that does not fit
 */
export async function assertAdoptable(client: pg.Client, timescaledb: boolean): Promise<void> {
  const faults: string[] = [];
  const { rows: schema } = await client.query('select current_schema() as name');
  if (schema[0].name === null) throw new Error('The search_path names no schema that exists');
  const table = await find(client, 'audio_data', timescaledb);
  if (table) faults.push(...(await tableFaults(client, table, timescaledb)));
  faults.push(...(await aggregateFaults(client, timescaledb)));
  if (faults.length > 0)
    throw new Error(
      `The database holds what does not fit, and nothing was changed:\n${faults.map((fault) => `- ${fault}`).join('\n')}`,
    );
}

async function tableFaults(client: pg.Client, table: Found, timescaledb: boolean): Promise<string[]> {
  if (table.relkind !== 'r')
    return [`audio_data is ${KINDS[table.relkind] ?? 'not a table'}, but must be an ordinary table`];
  if (!table.owned) return ['audio_data belongs to another role: migrate as its owner'];
  if (table.inherited && !table.hypertable) return ['audio_data has child tables or a parent'];
  await client.query('lock table audio_data in share row exclusive mode');
  const columns = await columnFaults(client, table.oid);
  const keys = timescaledb && !table.hypertable ? await keyFaults(client, table.oid) : [];
  // rows can only be read by the columns when those are what they should be
  const rows = columns.length > 0 ? [] : await rowFaults(client);
  return [...columns, ...keys, ...(await indexFaults(client, table.oid)), ...rows];
}

async function columnFaults(client: pg.Client, oid: number): Promise<string[]> {
  const { rows } = await client.query(
    `select attname as name, format_type(atttypid, atttypmod) as type, attgenerated <> '' as generated,
       attnotnull and not atthasdef and attidentity = '' as demanding
     from pg_attribute where attrelid = $1 and attnum > 0 and not attisdropped order by attnum`,
    [oid],
  );
  const faults: string[] = [];
  for (const [name, type] of Object.entries(COLUMNS)) {
    const column = rows.find((row) => row.name === name);
    if (!column) faults.push(`audio_data has no column ${name} (${type})`);
    else if (column.type !== type) faults.push(`audio_data.${name} is ${column.type}, but must be ${type}`);
    else if (column.generated) faults.push(`audio_data.${name} is generated, so no point can be stored`);
  }
  for (const { name, demanding } of rows)
    if (demanding && !(name in COLUMNS))
      faults.push(`audio_data.${name} is NOT NULL without a default, so no point could be stored`);
  return faults;
}

async function rowFaults(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<Record<string, string>>(
    `select count(*) filter (where time is null) as "have no time",
       count(*) filter (where not isfinite(time)) as "have an infinite time",
       count(*) filter (where is_silence is null) as "have no is_silence",
       count(*) filter (where not rms_db between -50.0 and 0.0) as "have rms_db outside -50 to 0",
       count(*) filter (where not frequency_hz between 100 and 8000) as "have frequency_hz outside 100 to 8000"
     from audio_data`,
  );
  return Object.entries(rows[0] ?? {})
    .filter(([, count]) => count !== '0')
    .map(([what, count]) => `${count} rows of audio_data ${what}`);
}

/** A hypertable takes only keys that hold its time column. */
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

async function aggregateFaults(client: pg.Client, timescaledb: boolean): Promise<string[]> {
  const found = await find(client, 'audio_data_1min', timescaledb);
  if (!found) return [];
  const { rows } = await client.query(
    `select string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' order by attnum) as columns
     from pg_attribute where attrelid = $1 and attnum > 0 and not attisdropped`,
    [found.oid],
  );
  const continuous = timescaledb && (await isContinuousAggregate(client));
  const fits = found.relkind === 'v' && rows[0].columns === MINUTE_COLUMNS && continuous === timescaledb;
  return fits ? [] : ['audio_data_1min is there already and is not ours: rename or drop it'];
}

async function isContinuousAggregate(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    `select from timescaledb_information.continuous_aggregates
     where view_schema = current_schema() and view_name = 'audio_data_1min'`,
  );
  return rows.length > 0;
}

async function find(client: pg.Client, name: string, timescaledb: boolean): Promise<Found | undefined> {
  const hypertable = timescaledb
    ? `exists (select from timescaledb_information.hypertables h
         where h.hypertable_schema = current_schema() and h.hypertable_name = relname)`
    : 'false';
  const { rows } = await client.query<Found>(
    `select oid, relkind, pg_has_role(relowner, 'usage') as owned, ${hypertable} as hypertable,
       exists (select from pg_inherits where oid in (inhparent, inhrelid)) as inherited
     from pg_class where relnamespace = quote_ident(current_schema())::regnamespace and relname = $1`,
    [name],
  );
  return rows[0];
}
