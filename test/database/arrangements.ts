// Creates databases, roles and drivers for a test, and removes them after it.
import { afterEach } from 'vitest';
import { type MigrateSettings, migrate } from '../../src/cli/migrate.ts';
import { openPostgres, type PostgresOptions } from '../../src/database/postgres.ts';
import type { ServerInfo } from '../databases.ts';
import { connect, createDatabase } from '../engines.ts';

/** The URL of a database, for another role. */
export function asRole(url: string, role: string): string {
  return Object.assign(new URL(url), { username: encodeURIComponent(role) }).href;
}

/** Call at the top of a test file. Closes everything pushed to `closers` after each test, last first. */
export function arrangements() {
  const closers: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  /** Creates a driver, closed after the test. */
  function open(url: string, options: Partial<PostgresOptions> = {}) {
    const db = openPostgres({ url, queryTimeoutMs: 5000, exportTimeoutMs: 5000, ...options });
    closers.push(() => db.close());
    return db;
  }

  /** Opens a connection, closed after the test. */
  async function session(url: string) {
    const client = await connect(url);
    closers.push(() => client.end());
    return client;
  }

  /** Creates a role that may log in, dropped after the test. @returns its URL, and its name as an SQL identifier */
  async function addRole(url: string, name: string) {
    const owner = await session(url);
    const quoted = `"${name.replaceAll('"', '""')}"`;
    await owner.query(`create role ${quoted} login`);
    closers.push(() => owner.query(`drop owned by ${quoted} cascade; drop role ${quoted}`));
    return { url: asRole(url, name), quoted };
  }

  /** Creates a database with a connection of its owner: a copy of `template`, or empty. */
  async function database(server: ServerInfo, template?: string) {
    const { url, name, drop } = await createDatabase(server, template);
    closers.push(drop);
    return { url, name, owner: await session(url) };
  }

  /** An empty database, or a copy of `template`, and a `migrate` that returns its log. */
  async function empty(server: ServerInfo, template?: string) {
    const { url, name, owner } = await database(server, template);
    const logged: string[] = [];
    const details: string[] = [];
    const log = {
      info: (_: object, message: string) => logged.push(`info ${message}`),
      warn: (_: object, message: string) => logged.push(`warn ${message}`),
      debug: (_: object, message: string) => details.push(message),
    };
    return {
      url,
      name,
      owner,
      logged,
      /** The additional output of LOG_LEVEL=debug. */
      details,
      run: (settings: Partial<MigrateSettings> = {}) => migrate({ url, log, ...settings }),
      rows: async (text: string) => (await owner.query(text)).rows,
      /** The first value of the first row. */
      value: async (text: string) => (await owner.query({ text, rowMode: 'array' })).rows[0]?.[0],
      addRole: (role: string) => addRole(url, role),
    };
  }

  return { closers, open, session, addRole, database, empty };
}
