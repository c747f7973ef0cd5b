// A service behind a real PgBouncer, and the same service without it.
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, inject } from 'vitest';
import { migrate } from '../../src/cli/migrate.ts';
import type { PostgresOptions } from '../../src/database/postgres.ts';
import { connect, createDatabase } from '../engines.ts';
import { needs } from '../needs.ts';
import { findPgbouncer, type Pooler, startPooler, versionOf } from '../pooler.ts';
import { createTestApp, NOW } from '../service.ts';
import { asRole } from './arrangements.ts';

const server = inject('timescale') ?? inject('postgres');
const pgbouncer = findPgbouncer();
const version = pgbouncer && versionOf(pgbouncer);

const READER = 'pooled_reader';

/** The mixed requests: every operation, in many sizes. */
export const PATHS = [
  ...[1, 7, 100, 1000].map((limit) => `/audio/latest?limit=${limit}`),
  ...[1, 10, 500].flatMap((limit) => [`/audio/range?from=now-1h&to=now&limit=${limit}`]),
  ...['10s', '1m', '1h', '6h', '24h', '7d', '30d'].map((period) => `/stats/summary?period=${period}`),
  ...['1m', '15m', '1h'].map((bucket) => `/stats/series?from=now-6h&to=now&bucket=${bucket}`),
  ...[-5, -20, -49].map((threshold) => `/events/loud?threshold=${threshold}&limit=50`),
  ...['1m', '10m'].map((length) => `/export/csv?from=now-${length}&to=now`),
  ...['days', 'distribution', 'frequencies', 'quality'].map((name) => `/stats/${name}?from=now-6h&to=now`),
  ...['threshold=-5', 'above_background=20'].map((level) => `/events/list?from=now-1h&${level}&limit=5`),
  '/stats/summary?from=now-3h',
  '/service/info',
  '/audio/latest?limit=0',
];

/** The servers and services of one mode of the pooler. Only tests and hooks may use them. */
export interface Pooled {
  readonly mode: string;
  /** The URL of the server itself. */
  readonly url: string;
  /** A service without the pooler. */
  readonly direct: FastifyInstance;
  readonly pooler: Pooler;
  /** A pooler with one session for all clients, in transaction mode. */
  readonly tight: Pooler;
  /** Starts a service on a database, closed after the tests. */
  service(at: string, options?: Partial<PostgresOptions>): ReturnType<typeof createTestApp>;
}

/** `describe` in each mode of the pooler, skipped without PgBouncer. */
export function describeEachMode(body: (pooled: Pooled) => void): void {
  describe(`PgBouncer ${version}`, needs('PostgreSQL and PgBouncer', server && pgbouncer), () => {
    const closers: (() => Promise<unknown>)[] = [];
    let url = '';
    let direct: FastifyInstance;

    async function service(at: string, options?: Partial<PostgresOptions>) {
      const created = await createTestApp(at, options);
      closers.push(() => created.app.close());
      return created;
    }

    beforeAll(async () => {
      if (!server) return;
      const database = await createDatabase(server, server.template);
      const owner = await connect(database.url);
      closers.push(database.drop, () => owner.end());
      await owner.query(
        `do $$ begin create role ${READER} login; exception when duplicate_object then end $$`,
      );
      await migrate({ url: database.url, readerRole: READER });
      await owner.query(`insert into audio_data
        select timestamptz '${NOW}' - n * interval '10 s', -0.1 - n % 499 / 10.0, 100 + n % 300, n % 7 = 0
        from generate_series(1, 4000) n`);
      await owner.query('vacuum analyze audio_data'); // or a plan could change half way, and so the order of a sum
      ({ url } = database);
      direct = (await service(database.url)).app;
    });
    afterAll(async () => {
      for (const close of closers.splice(0).reverse()) await close();
    });

    describe.each(['transaction', 'session'])('in %s mode', (mode) => {
      let poolers: { pooler: Pooler; tight: Pooler };
      beforeAll(async () => {
        if (!pgbouncer) return;
        const roles = ['postgres', READER];
        const pooler = await startPooler(pgbouncer, url, roles, { pool_mode: mode });
        closers.push(pooler.stop);
        const size = mode === 'transaction' ? 1 : 20;
        const tight = await startPooler(pgbouncer, url, roles, { pool_mode: mode, default_pool_size: size });
        closers.push(tight.stop);
        poolers = { pooler, tight };
      });
      body({
        mode,
        service,
        get url() {
          return url;
        },
        get direct() {
          return direct;
        },
        get pooler() {
          return poolers.pooler;
        },
        get tight() {
          return poolers.tight;
        },
      });
    });
  });
}

/**
 * Sends this many requests, several at a time and from several clients. Expects the answers of the service without the
 * pooler.
 */
export async function mixRequests({ direct, pooler, service, url }: Pooled, requests: number): Promise<void> {
  const clients = [
    await service(pooler.through(url), { poolSize: 4 }),
    await service(pooler.through(asRole(url, READER)), { poolSize: 4 }),
  ];
  // on a busy machine the first answer may take over a second
  for (const { db } of clients) await expect.poll(() => db.ready().then(() => 'ready', String)).toBe('ready');
  const expected = new Map<string, unknown>();
  for (const path of PATHS) expected.set(path, await answer(direct, path));
  expect([...expected.values()].filter((given) => Object(given).statusCode >= 500)).toEqual([]);
  let sent = 0;
  const sendAll = async () => {
    while (sent < requests) {
      const n = sent++;
      const path = PATHS[(n * 7919) % PATHS.length] ?? '';
      const client = clients[n % clients.length];
      if (client) expect(await answer(client.app, path), path).toEqual(expected.get(path));
    }
  };
  await Promise.all(Array.from({ length: 12 }, sendAll));
}

export async function answer(app: FastifyInstance, path: string) {
  const { statusCode, headers, body } = await app.inject(`/api/v1${path}`);
  const { request_id: _, ...stated } = headers['content-type']?.toString().includes('json')
    ? JSON.parse(body)
    : { body };
  return { statusCode, stated };
}
