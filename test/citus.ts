// A cluster of Citus: a coordinator and two workers, on servers of their own, with one station on a worker.
import { migrate } from '../src/cli/migrate.ts';
import { type Cluster, startCluster, withClient } from './cluster.ts';

const SETTINGS = {
  shared_preload_libraries: 'citus',
  wal_level: 'logical',
  max_prepared_transactions: '100',
  max_worker_processes: '100',
  // as docs/how-to/city-network.md says
  jit: 'off',
  extra_float_digits: '1',
  'citus.node_conninfo': 'sslmode=disable',
  'citus.enable_statistics_collection': 'off',
};

/** The station in the template: too long a name for the list of stations, so that tests find only their own there. */
export const CITUS_STATION = 'station_on_a_worker_that_no_list_of_stations_shows';

/** The same server, another database. */
export function databaseOn(server: string, name: string): string {
  return Object.assign(new URL(server), { pathname: name }).href;
}

/** Starts the servers, the coordinator first. */
export const startCitus = (bin: string): Promise<Cluster[]> =>
  Promise.all(Array.from({ length: 3 }, () => startCluster(bin, SETTINGS)));

/** Creates a database on all nodes, and lets the coordinator know the workers. @returns the version of Citus */
export async function createNodes(
  [coordinator = '', ...workers]: readonly string[],
  name: string,
): Promise<string> {
  await Promise.all(
    [coordinator, ...workers].map(async (url) => {
      await withClient(url, (client) => client.query(`create database ${name}`));
      await withClient(databaseOn(url, name), (client) => client.query('create extension citus'));
    }),
  );
  return withClient(databaseOn(coordinator, name), async (client) => {
    await client.query(`select citus_set_coordinator_host('127.0.0.1', $1)`, [new URL(coordinator).port]);
    for (const worker of workers)
      await client.query(`select citus_add_node('127.0.0.1', $1)`, [new URL(worker).port]);
    const { rows } = await client.query(
      `select extversion as version from pg_extension where extname = 'citus'`,
    );
    return rows[0].version;
  });
}

/** Creates the database that tests copy, with a station on a worker. @returns the version of Citus */
export async function prepareCitus(nodes: readonly string[], name: string): Promise<string> {
  const version = await createNodes(nodes, name);
  const url = databaseOn(nodes[0] ?? '', name);
  await migrate({ url, rawRetention: 'off' });
  const made = { time_zone: 'UTC', weighting: 'A' } as const;
  await migrate({ url, rawRetention: 'off', station: { name: CITUS_STATION, made } });
  // its maintenance daemon holds a connection, and a database in use cannot be copied
  for (const each of nodes)
    await withClient(each, async (client) => {
      await client.query(`alter database ${name} allow_connections false`);
      await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    });
  return version;
}
