// The engines that the tests run on, each with a migrated, empty database that is ready in a moment.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { beforeAll, describe, inject } from 'vitest';
import type { Statement, Value } from '../src/database/database.ts';
import { inSchema } from '../src/database/in-schema.ts';
import { openPglite } from '../src/database/pglite.ts';
import { openPostgres, type PostgresOptions } from '../src/database/postgres.ts';
import { runOnClient } from '../src/database/session.ts';
import type { Store } from '../src/rollups/store.ts';
import { createRollups } from '../src/rollups/store.ts';
import { CITUS_STATION, databaseOn } from './citus.ts';
import { withClient } from './cluster.ts';
import type { ServerInfo } from './databases.ts';
import { needs } from './needs.ts';

/** The driver under test, and its rollups. */
export interface TestDatabase extends Store {
  /** Runs SQL as the owner, to arrange data; returns rows as the driver `pg` or PGlite does. */
  // biome-ignore lint/suspicious/noExplicitAny: a test knows its columns
  sql(text: string, values?: readonly Value[]): Promise<any[]>;
  /** The URL for the owner; undefined for PGlite. */
  url: string | undefined;
  close(): Promise<void>;
}

export interface Engine {
  name: 'PGlite' | 'PostgreSQL' | 'TimescaleDB' | 'Citus';
  /** False if this machine does not have it. */
  available: boolean;
  open(options?: Partial<PostgresOptions>): Promise<TestDatabase>;
}

declare const WebAssembly: { compile(bytes: Buffer): Promise<object> };

/** Keeps the module alive, so that all databases of this process share its compiled and optimised code. */
export const heldModule = await WebAssembly.compile(
  readFileSync(fileURLToPath(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite')))),
);

export const engines: readonly Engine[] = [
  { name: 'PGlite', available: true, open: openEmbedded },
  serverEngine('PostgreSQL', inject('postgres')),
  serverEngine('TimescaleDB', inject('timescale')),
];

/** A station on a worker of a cluster. */
export const citus = serverEngine('Citus', inject('citus'));

/** `describe` on the default station of each engine, for drivers; engines that this machine lacks are shown as skipped. */
export function describeEachDriver(title: string, body: (engine: Engine) => void): void {
  for (const engine of engines)
    describe(`${title} on ${engine.name}`, needs(engine.name, engine.available), () => body(engine));
}

/** `describe` once for each engine, and for a station on Citus if ENGINE is `citus`. */
export function describeEachEngine(title: string, body: (engine: Engine) => void): void {
  describeEachDriver(title, body);
  if (engineOfWire() === citus) describeOnWire(title, body);
}

/**
 * `describe` on one engine, for behaviour that engines share: headers, negotiation, problems, paging. ENGINE selects it
 * (`pglite`, `postgres`, `timescaledb`). Without a PostgreSQL server it is PGlite.
 */
export function describeOnWire(title: string, body: (engine: Engine) => void): void {
  const engine = engineOfWire();
  describe(`${title} on ${engine.name}`, needs(engine.name, engine.available), () => body(engine));
}

/** `describe` on the embedded database and on the wire engine, for commands and processes that work beside a service. */
export function describeEmbeddedAndOnWire(title: string, body: (engine: Engine) => void): void {
  for (const engine of new Set([...engines.slice(0, 1), engineOfWire()]))
    describe(`${title} on ${engine.name}`, needs(engine.name, engine.available), () => body(engine));
}

/** Lets a `describe...` also run its tests on a station of a cluster, whatever the wire engine. */
export const andOnCitus =
  (describeOn: typeof describeOnWire) => (title: string, body: (engine: Engine) => void) => {
    describeOn(title, body);
    if (engineOfWire() !== citus)
      describe(`${title} on ${citus.name}`, needs(citus.name, citus.available), () => body(citus));
  };

/** The engine of `describeOnWire`. */
export function engineOfWire(): Engine {
  const chosen = [...engines, citus].find(({ name }) => name.toLowerCase().startsWith(inject('wireEngine')));
  const engine = chosen?.name === 'PostgreSQL' && !chosen.available ? engines[0] : chosen;
  if (!engine) throw new Error(`There is no engine ${inject('wireEngine')}`);
  return engine;
}

/** `describe` once for each layout of the points: a plain table on the wire engine, and a hypertable. */
export function describeEachLayout(title: string, body: (engine: Engine) => void): void {
  describeOnWire(title, body);
  if (engineOfWire().name !== 'TimescaleDB') describeServer('timescale', title, body);
}

type ServerTests = (engine: Engine, server: ServerInfo) => void;

/** `describe` once for each engine that is a server. */
export function describeEachServer(title: string, body: ServerTests): void {
  for (const key of ['postgres', 'timescale'] as const) describeServer(key, title, body);
}

/** `describe` on one server: PostgreSQL, or TimescaleDB if ENGINE is `timescaledb`. */
export function describeServerOnWire(title: string, body: ServerTests): void {
  describeServer(inject('wireEngine') === 'timescaledb' ? 'timescale' : 'postgres', title, body);
}

/** `describe` on this server. */
export function describeServer(
  key: 'postgres' | 'timescale' | 'citus',
  title: string,
  body: ServerTests,
): void {
  const server = inject(key);
  const name = ({ postgres: 'PostgreSQL', timescale: 'TimescaleDB', citus: 'Citus' } as const)[key];
  const engine = serverEngine(name, server);
  const absent = { url: 'postgres://127.0.0.1:1/', pid: 0, template: '' };
  describe(`${title} on ${engine.name}`, needs(engine.name, server), () => body(engine, server ?? absent));
}

/** Opens something before the tests of this block and closes it after them. Only tests and hooks may use it. */
export function openForAll<Opened extends { close(): Promise<void> }>(open: () => Promise<Opened>): Opened {
  const opened = {} as Opened;
  beforeAll(async () => {
    Object.assign(opened, await open());
    return () => opened.close();
  });
  return opened;
}

/** SQL without parameters, for a driver. */
export const statement = <Row>(text: string): Statement<Row> => ({ text, parameters: [] });
/** Never ends and never waits: libfaketime shows the time limits of a waiting server the real clock. */
export const ENDLESS = statement('select count(*) from generate_series(1, 1e12::bigint)');

async function openEmbedded(): Promise<TestDatabase> {
  const db = await openPglite({ template: inject('pgliteTemplate') });
  return {
    db,
    rollups: createRollups(db),
    sql: (text, values) => db.run(text, values),
    url: undefined,
    close: () => db.close(),
  };
}

function serverEngine(name: Exclude<Engine['name'], 'PGlite'>, server: ServerInfo | undefined): Engine {
  return {
    name,
    available: server !== undefined,
    async open(options) {
      if (!server) throw new Error(`${name} is not on this machine`);
      const { url, drop } = await createDatabase(server, server.template);
      const whole = openPostgres({
        url,
        poolWaitMs: 20_000,
        queryTimeoutMs: 10_000,
        exportTimeoutMs: 30_000,
        ...options,
      });
      const isStation = name === 'Citus';
      const db = isStation
        ? inSchema(
            whole,
            CITUS_STATION,
            () => new Error('The station is gone'),
            () => 'a worker',
          )
        : whole;
      const owner = await connect(url);
      if (isStation)
        await owner.query(`set search_path = ${CITUS_STATION}; set citus.enable_unsafe_triggers = on`);
      await owner.query('set jit = off'); // as in sessions of the service: compiling a refresh takes seconds
      return {
        db,
        rollups: createRollups(db),
        sql: runOnClient(owner),
        url,
        async close() {
          await db.close();
          await owner.end();
          await drop();
        },
      };
    },
  };
}

/** Creates a database on a server: a copy of `template`, or empty. */
export async function createDatabase(
  server: ServerInfo,
  template = 'template0',
): Promise<{ url: string; name: string; drop(): Promise<void> }> {
  const name = `test_${process.pid}_${Math.random().toString(36).slice(2, 10)}`;
  const nodes = [server.url, ...(server.workers ?? [])];
  const asSuperuser = (url: string, text: string) => withClient(url, (client) => client.query(text));
  const create = `create database ${name} template ${template} strategy file_copy`;
  await Promise.all(nodes.map((url) => asSuperuser(url, create)));
  const drop = async () => {
    // in order, because the coordinator has connections to the workers
    for (const url of nodes) await asSuperuser(url, `drop database ${name} with (force)`);
  };
  return { url: databaseOn(server.url, name), name, drop };
}

export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // tests break connections on purpose
  await client.connect();
  return client;
}
