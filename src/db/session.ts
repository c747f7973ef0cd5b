// The settings under which questions are asked, and the sessions that hold them.
//
// A connection to the server has a session of its own, which is prepared once. Behind a pooler such as PgBouncer
// the session is another's the next moment: each question brings its settings along, and leaves nothing behind,
// neither a setting nor a prepared statement.
import type pg from 'pg';
import { AppError } from '../errors.ts';
import { backendKeyOf } from './internals/backend-key.ts';
import { runBefore } from './internals/run-before.ts';

type Settings = Readonly<Record<string, string | number>>;

/** Make a time, a level or a flag read the same as text on every database. */
const TEXT: Settings = { timezone: 'UTC', datestyle: 'ISO', extra_float_digits: 1 };

/** The same, until the session ends. */
export const TEXT_SETTINGS = settingsSql('set', TEXT);

/**
 * For questions. `jit`: compiling a composed statement takes a hundred times longer than running it. Workers:
 * TimescaleDB adds up in vectors only where none shares the scan. Plans: a generic one would include every chunk.
 */
export const QUERY_SETTINGS: Settings = {
  ...TEXT,
  jit: 'off',
  max_parallel_workers_per_gather: 0,
  plan_cache_mode: 'force_custom_plan',
};

/** @returns SQL for each setting, `set` or `set local` before it */
export function settingsSql(set: string, settings: Settings): string {
  return Object.entries(settings)
    .map(([name, value]) => `${set} ${name} = '${value}'`)
    .join('; ');
}

export interface Sessions {
  /** Prepares the session of a new connection, where it has one of its own. */
  prepare(client: pg.ClientBase): Promise<void>;
  /** What a client runs under the settings. `make` gets the question as its session takes it. */
  submit(client: pg.ClientBase, question: pg.QueryConfig, make: (question: pg.QueryConfig) => pg.Query): void;
}

/** @param limitMs how long a question may run, by the server's clock */
export function createSessions(limitMs: number): Sessions {
  const settings = { ...QUERY_SETTINGS, statement_timeout: limitMs };
  const borrowed = new WeakSet<pg.ClientBase>();
  const setForQuestion = `select where ${calls(settings, 'true', ' is null or ')} is null`;

  return {
    async prepare(client) {
      const isAnothers = ofAnother(client);
      const { rows } = await client.query(`select ${isAnothers} as borrowed, ${calls(settings, isAnothers)}`);
      if (rows[0].borrowed) borrowed.add(client);
    },
    submit(client, { text, values = [], ...named }, make) {
      // unnamed, because a name would stay in the session; a question without values too must be sent in this way
      const isBorrowed = borrowed.has(client);
      const question = isBorrowed ? { text, values, queryMode: 'extended' } : { text, values, ...named };
      const query = make(question);
      client.query(isBorrowed ? runBefore(setForQuestion, query) : query);
    },
  };
}

/** @throws an Error that says what to do, where a pooler is in between: locks and settings would go astray */
export async function assertOwnSession(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query(`select ${ofAnother(client)} as borrowed`);
  if (rows[0].borrowed)
    throw new AppError(
      'BAD_REQUEST',
      'A connection pooler is in between. Set MIGRATION_DATABASE_URL to the address of the server itself',
    );
}

/** @returns SQL: a pooler gives its clients keys of its own, so the process that answers is not the one they know */
function ofAnother(client: pg.ClientBase): string {
  const key = backendKeyOf(client);
  if (!key) throw new Error('The connection has no process id: it is not open');
  return `pg_backend_pid() <> ${key.processId}`;
}

function calls(settings: Settings, isLocal: string, between = ', '): string {
  return Object.entries(settings)
    .map(([name, value]) => `set_config('${name}', '${value}', ${isLocal})`)
    .join(between);
}
