// Stations on a cluster of Citus: the schema of a station lies on one of the servers that take shards, and a statement
// that names only its tables runs there. The default station stays on the coordinator.
import { AppError } from '../errors.ts';
import type { Database, Queries, RunStatement, Statement } from './database.ts';
import { identifier } from './drizzle.ts';

/** Whether the database is the coordinator of a cluster with a server that takes shards. */
export async function isCluster(run: RunStatement): Promise<boolean> {
  const [found] = await run<{ citus: boolean }>(
    `select to_regclass('pg_catalog.pg_dist_schema') is not null as citus`,
    [],
  );
  if (!found?.citus) return false;
  const workers = 'select from pg_dist_node where shouldhaveshards and groupid <> 0 limit 1';
  return (await run(workers, [])).length > 0;
}

/** @throws AppError BAD_REQUEST if Citus cannot grant rights in a schema of that name: it writes the name without quotes */
export async function assertGrantable(run: RunStatement, schema: string): Promise<void> {
  const reserved = `select from pg_get_keywords() where word = $1 and catcode in ('R', 'T')`;
  if ((await run(reserved, [schema])).length > 0)
    throw new AppError(
      'BAD_REQUEST',
      `On Citus, ${schema} cannot name a station, because it is a word of SQL`,
    );
}

/** Moves a migrated schema to a server of the cluster, unless it is on one. Runs in a transaction. */
export async function distribute(run: RunStatement, schema: string): Promise<void> {
  const placed = await run('select from pg_dist_schema where schemaid = to_regnamespace(quote_ident($1))', [
    schema,
  ]);
  if (placed.length === 0) {
    await run('set local citus.enable_unsafe_triggers = on', []);
    await run('select citus_schema_distribute(to_regnamespace(quote_ident($1)))', [schema]);
  }
  await nameShards(run, schema);
}

/**
 * Lets the functions of a station name its shards (`audio_data_102043`): they then run on the server that has the shards,
 * as on a plain server. Keys of advisory locks keep the table's name, which statements can name too.
 */
export async function nameShards(run: RunStatement, schema: string): Promise<void> {
  const at = `${identifier(schema)}.`;
  const shards = await shardsOf(run, schema);
  if (!(await rename(run, schema, shards))) return; // a change needs all servers
  // Citus hides shards from the catalogs of other sessions
  await run(`alter function ${at}audio_data_noting() set citus.override_table_visibility to off`, []);
  // and gives the triggers of a shard its number
  await run(
    `update ${at}audio_data_refreshes set triggers = regexp_replace(triggers, '(_\\d+)? ', $1, 'g')`,
    [`${shards.get('audio_data')?.slice('audio_data'.length)} `],
  );
}

/** Lets the functions name tables, as migrations that replace functions expect. {@link nameShards} names the shards again. */
export async function nameTables(run: RunStatement, schema: string): Promise<void> {
  const tables = [...(await shardsOf(run, schema)).keys()];
  await rename(run, schema, new Map(tables.map((name) => [name, name])));
}

async function shardsOf(run: RunStatement, schema: string): Promise<ReadonlyMap<string, string>> {
  const tables = await run<{ name: string; shard: string }>(
    `select relname as name, relname || '_' || shardid as shard from pg_dist_shard join pg_class on pg_class.oid = logicalrelid
     where relnamespace = to_regnamespace(quote_ident($1))`,
    [schema],
  );
  return new Map(tables.map(({ name, shard }) => [name, shard]));
}

/** @returns whether a function changed */
async function rename(run: RunStatement, schema: string, shards: ReadonlyMap<string, string>) {
  const functions = await run<{ definition: string }>(
    'select pg_get_functiondef(oid) as definition from pg_proc where pronamespace = to_regnamespace(quote_ident($1)) order by oid',
    [schema],
  );
  const changed = functions.filter(({ definition }) => namingShards(definition, shards) !== definition);
  if (changed.length > 0) await run('set local check_function_bodies = off', []);
  for (const { definition } of changed) await run(namingShards(definition, shards), []);
  return changed.length > 0;
}

/** The functions that write although a SELECT calls them: Citus does not hold them off while it copies shards. */
const WRITING = /^CREATE OR REPLACE FUNCTION \S+\.audio_data_(refresh|remove_old)\(/;

/** @param definition the statement that creates a function. @param shards by table; a table itself for plain names */
export function namingShards(definition: string, shards: ReadonlyMap<string, string>): string {
  const at = definition.indexOf('\nAS $');
  const shardOf = (name: string) => shards.get(name.replace(/_\d+$/, ''));
  const body = definition
    .slice(at)
    .replace(/\n\tPERFORM lock_shard_metadata.*/, '')
    .replace(/\baudio_data\w*(?!'::regclass::oid)\b/g, (name) => shardOf(name) ?? name);
  const id = shardOf('audio_data')?.slice('audio_data_'.length);
  if (!id || !WRITING.test(definition)) return definition.slice(0, at) + body;
  const lock = `\n\tPERFORM lock_shard_metadata(5, '{${id}}');`; // ShareLock, which Citus takes for writes
  return definition.slice(0, at) + body.replace(/\nBEGIN(?=\n)/, (begin) => begin + lock);
}

const SERVERS: Statement<{ name: string; server: string }> = {
  label: 'servers',
  text: `
    select nspname as name, nodename || ':' || nodeport as server
    from pg_namespace join pg_class on relnamespace = pg_namespace.oid
      join pg_dist_shard on logicalrelid = pg_class.oid join pg_dist_placement using (shardid) join pg_dist_node using (groupid)
    where relname = 'audio_data_station' and noderole = 'primary' and groupid > 0`,
  parameters: [],
};

/** @returns the address of each station's server; none for those on the coordinator */
export async function readServers({ query }: Pick<Queries, 'query'>): Promise<ReadonlyMap<string, string>> {
  return new Map((await query(SERVERS)).map(({ name, server }) => [name, server]));
}

/**
 * Moves a station to another server. Citus blocks its writes meanwhile. The rollups stay valid: no point changed while the
 * points were copied, so they count as counted with the new triggers and files.
 *
 * @param to the host, or `host:port`, of the new server; by default the one with the fewest stations
 * @returns the new server, as `host:port`
 * @throws AppError BAD_REQUEST if the station cannot move there
 */
export const moveStation = (db: Database, station: string, to?: string): Promise<string> =>
  db.transaction(async ({ run, query }) => {
    const servers = (await isCluster(run)) ? await readServers({ query }) : new Map<string, string>();
    const from = servers.get(station);
    if (from === undefined)
      throw new AppError('BAD_REQUEST', `The station ${station} is not on a server of a Citus cluster`);
    const nodes = await run<{ server: string; host: string; port: number }>(
      `select nodename || ':' || nodeport as server, nodename as host, nodeport as port from pg_dist_node
       where shouldhaveshards and isactive and groupid > 0 and noderole = 'primary' order by nodeid`,
      [],
    );
    const stationsOn = (node: string) => [...servers.values()].filter((server) => server === node).length;
    const others = nodes
      .filter(({ server }) => server !== from)
      .sort((a, b) => stationsOn(a.server) - stationsOn(b.server));
    const target = others.find(({ server, host }) => to === undefined || to === server || to === host);
    if (!target) {
      const choice = others.map(({ server }) => server).join(', ') || 'no other server';
      throw new AppError('BAD_REQUEST', `The station ${station} is on ${from}, and can move to ${choice}`);
    }
    const refreshes = `${identifier(station)}.audio_data_refreshes`;
    const noting = `select noting = now_noting as valid, now_noting
      from ${refreshes}, ${identifier(station)}.audio_data_noting() as now_noting`;
    const [before] = await run<{ valid: boolean | null }>(noting, []);
    const move = `select citus_schema_move(to_regnamespace(quote_ident($1)), $2, $3, 'block_writes')`;
    await run(move, [station, target.host, target.port]);
    const [after] = await run<{ now_noting: string | null }>(noting, []);
    if (before?.valid && after) await run(`update ${refreshes} set noting = $1`, [after.now_noting]);
    return target.server;
  });
