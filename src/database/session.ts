// The settings of queries, and the sessions that run them.
//
// A direct connection has its own session, which gets its settings once. Behind a pooler such as PgBouncer, sessions
// are borrowed: every query brings its settings, and leaves neither a setting nor a prepared statement behind.
import pg from 'pg';
import { AppError } from '../errors.ts';
import type { RunStatement } from './database.ts';
import { backendKeyOf, runBefore } from './internals/pg.ts';
import { textIn } from './schema.ts';

type Settings = Readonly<Record<string, string | number>>;

/** Settings that make the text of a time, a level or a flag the same on every database. */
export const TEXT: Settings = { timezone: 'UTC', datestyle: 'ISO', extra_float_digits: 1 };

export const TEXT_SETTINGS = settingsSql('set', TEXT);

/**
 * `jit`: compiling a composed statement takes a hundred times longer than running it. Workers: TimescaleDB vectorises
 * sums only without parallel workers. Plans: a generic plan would include every chunk.
 */
export const QUERY_SETTINGS: Settings = {
  ...TEXT,
  jit: 'off',
  max_parallel_workers_per_gather: 0,
  plan_cache_mode: 'force_custom_plan',
};

/** @returns SQL for each setting, prefixed with `set` or `set local` */
export function settingsSql(set: string, settings: Settings): string {
  return Object.entries(settings)
    .map(([name, value]) => `${set} ${name} = '${value}'`)
    .join('; ');
}

/** @param limitMs how long a query may run, by the server's clock */
export function createSessions(limitMs: number) {
  const settings = { ...QUERY_SETTINGS, statement_timeout: limitMs };
  const borrowed = new WeakSet<pg.ClientBase>();
  const setForQuery = `select where ${calls(settings, 'true', ' is null or ')} is null`;

  return {
    /** Applies the settings to a new connection, unless its session is borrowed. */
    async prepare(client: pg.ClientBase): Promise<void> {
      const isBorrowed = borrowedSql(client);
      const { rows } = await client.query(`select ${isBorrowed} as borrowed, ${calls(settings, isBorrowed)}`);
      if (rows[0].borrowed) borrowed.add(client);
    },
    /** Runs it under the settings. `Row` is unchecked. With a callback: pg's promises keep 10 KB per query for long. */
    query<Row>(client: pg.ClientBase, { text, values = [], ...named }: pg.QueryConfig): Promise<Row[]> {
      // no name: a named statement would stay in the session; `extended` sends separate messages even without values
      const isBorrowed = borrowed.has(client);
      const config = isBorrowed ? { text, values, queryMode: 'extended' } : { text, values, ...named };
      return new Promise((resolve, reject) => {
        const query = new pg.Query(config, (error, results) => {
          const last = [results].flat().at(-1); // in a borrowed session, the result of the settings comes first
          if (last && !error) resolve(last.rows);
          else reject(error);
        });
        client.query(isBorrowed ? runBefore(setForQuery, query) : query);
      });
    },
  };
}

/** Runs statements on a connection, for its schema. */
export function runOnClient(client: pg.ClientBase): RunStatement {
  return async (text, values) =>
    [await client.query(textIn(text), values && [...values])].flat().at(-1)?.rows ?? [];
}

/** @throws an Error with the remedy if a pooler is in between: locks and settings would end up in other sessions */
export async function assertOwnSession(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query(`select ${borrowedSql(client)} as borrowed`);
  if (rows[0].borrowed)
    throw new AppError(
      'BAD_REQUEST',
      'A connection pooler is in between. Set MIGRATION_DATABASE_URL to the address of the server itself',
    );
}

/** @returns SQL that is true in a borrowed session: a pooler gives its clients keys that match no server process */
function borrowedSql(client: pg.ClientBase): string {
  const key = backendKeyOf(client);
  if (!key) throw new Error('The connection has no process id: it is not open');
  return `pg_backend_pid() <> ${key.processId}`;
}

function calls(settings: Settings, isLocal: string, between = ', '): string {
  return Object.entries(settings)
    .map(([name, value]) => `set_config('${name}', '${value}', ${isLocal})`)
    .join(between);
}
