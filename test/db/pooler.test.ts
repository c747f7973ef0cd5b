// The service behind a real PgBouncer.
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { migrate } from '../../src/cli/migrate.ts';
import type { PostgresOptions } from '../../src/db/postgres.ts';
import { connect, createDatabase, statement } from '../engines.ts';
import { needs } from '../needs.ts';
import { findPgbouncer, type Pooler, startPooler, versionOf } from '../pooler.ts';
import { int32, rowOf } from '../rows.ts';
import { createTestApp, NOW } from '../service.ts';
import { asRole } from './arrangements.ts';

const server = inject('timescale') ?? inject('postgres');
const pgbouncer = findPgbouncer();
const version = pgbouncer && versionOf(pgbouncer);

const READER = 'pooled_reader';
const closers: (() => Promise<unknown>)[] = [];

/** How many requests are mixed; CONTRIBUTING says how to ask more. */
const { POOLER_REQUESTS = '1000' } = process.env;
const REQUESTS = Number(POOLER_REQUESTS);

/** The questions that are mixed: every operation, in many sizes. */
const QUESTIONS = [
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

describe(`PgBouncer ${version}`, needs('PostgreSQL and PgBouncer', server && pgbouncer), () => {
  let url = '';
  let direct: FastifyInstance;

  async function service(at: string, options?: Partial<PostgresOptions>) {
    const created = await createTestApp(at, options);
    closers.push(() => created.app.close());
    return created;
  }

  async function answer(app: FastifyInstance, path: string) {
    const { statusCode, headers, body } = await app.inject(`/api/v1${path}`);
    const { request_id: _, ...stated } = headers['content-type']?.toString().includes('json')
      ? JSON.parse(body)
      : { body };
    return { statusCode, stated };
  }

  beforeAll(async () => {
    if (!server) return;
    const database = await createDatabase(server, server.template);
    const owner = await connect(database.url);
    closers.push(
      () => owner.end(),
      () => database.drop(),
    );
    await owner.query(`do $$ begin create role ${READER} login; exception when duplicate_object then end $$`);
    await migrate({ url: database.url, readerRole: READER });
    await owner.query(`insert into audio_data
      select timestamptz '${NOW}' - n * interval '10 s', -0.1 - n % 499 / 10.0, 100 + n % 300, n % 7 = 0
      from generate_series(1, 4000) n`);
    await owner.query('vacuum analyze audio_data'); // or a plan may change half way, and the order of a sum with it
    ({ url } = database);
    direct = (await service(database.url)).app;
  });
  afterAll(async () => {
    for (const close of closers.splice(0)) await close();
  });

  describe.each([
    { mode: 'transaction', requests: REQUESTS },
    { mode: 'session', requests: REQUESTS / 4 },
  ])('in $mode mode', ({ mode, requests }) => {
    let pooler: Pooler;
    let tight: Pooler;
    beforeAll(async () => {
      if (!pgbouncer) return;
      const roles = ['postgres', READER];
      pooler = await startPooler(pgbouncer, url, roles, { pool_mode: mode });
      // in transaction mode every client has the same session
      const size = mode === 'transaction' ? 1 : 20;
      tight = await startPooler(pgbouncer, url, roles, { pool_mode: mode, default_pool_size: size });
      closers.unshift(pooler.stop, tight.stop);
    });

    it(`answers ${requests} mixed requests of several clients as without it`, async () => {
      const clients = [
        await service(pooler.through(url), { poolSize: 4 }),
        await service(pooler.through(asRole(url, READER)), { poolSize: 4 }),
      ];
      for (const { db } of clients) await db.ready();
      const expected = new Map<string, unknown>();
      for (const path of QUESTIONS) expected.set(path, await answer(direct, path));
      expect([...expected.values()].filter((given) => Object(given).statusCode >= 500)).toEqual([]);
      let asked = 0;
      const ask = async () => {
        while (asked < requests) {
          const n = asked++;
          const path = QUESTIONS[(n * 7919) % QUESTIONS.length] ?? '';
          const client = clients[n % clients.length];
          if (client) expect(await answer(client.app, path), path).toEqual(expected.get(path));
        }
      };
      await Promise.all(Array.from({ length: 12 }, ask));
    });

    it('asks under its own settings, and leaves none behind', async () => {
      const { db } = await service(tight.through(url));
      const other = await connect(tight.through(url));
      const names = [
        'timezone',
        'datestyle',
        'extra_float_digits',
        'jit',
        'plan_cache_mode',
        'statement_timeout',
      ];
      const show = `select ${names.map((name) => `current_setting('${name}') as ${name}`).join(', ')}`;
      const before = (await other.query(show)).rows;
      expect(await db.query(statement(show))).toEqual([
        {
          timezone: 'UTC',
          datestyle: 'ISO, MDY',
          extra_float_digits: '1',
          jit: 'off',
          plan_cache_mode: 'force_custom_plan',
          statement_timeout: '20s',
        },
      ]);
      for await (const _ of db.streamRows?.(statement('select 1'), {}) ?? []);
      const inBinary = `select n, current_setting('plan_cache_mode') from generate_series(1, 500) n`;
      for (const name of [undefined, 'a_name', 'a_name'])
        expect(await db.readRows({ ...statement(inBinary), ...(name && { name }) })).toEqual(
          Buffer.concat(
            Array.from({ length: 500 }, (_, n) => rowOf(int32(n + 1), Buffer.from('force_custom_plan'))),
          ),
        );
      await expect(
        db.readRows(statement('select 1 / (100 - n) from generate_series(1, 500) n')),
      ).rejects.toMatchObject({ code: '22012' });
      expect((await other.query(show)).rows).toEqual(before);
      expect((await other.query('select from pg_prepared_statements')).rows).toEqual([]);
      await other.end();
    });

    it('is not misled by what another client left in the session', async () => {
      const { app } = await service(tight.through(url));
      const expected = await answer(direct, '/audio/latest?limit=50');
      expect(await answer(app, '/audio/latest?limit=50')).toEqual(expected);
      const other = await connect(tight.through(url));
      await other.query(
        "set extra_float_digits = -3; set timezone = 'Asia/Tokyo'; set datestyle = 'SQL, DMY'",
      );
      expect(await answer(app, '/audio/latest?limit=50')).toEqual(expected);
      expect(await answer(app, '/export/csv?from=now-5m&to=now')).toEqual(
        await answer(direct, '/export/csv?from=now-5m&to=now'),
      );
      await other.query('reset all');
      await other.end();
    });

    it('refuses a parameter of the address with 503, and the log says what to do', async () => {
      const { db } = await service(`${pooler.through(url)}?options=${encodeURIComponent('-c jit=off')}`);
      await expect(db.query(statement('select 1'))).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        cause: { message: expect.stringContaining('ignore_startup_parameters'), cause: { code: '08P01' } },
      });
    });

    it('is no place to migrate through', async () => {
      await expect(migrate({ url: pooler.through(url) })).rejects.toThrow(/MIGRATION_DATABASE_URL/);
    });

    it('ends what takes too long with 504, and limits nobody else', async () => {
      const { db } = await service(tight.through(url), { queryTimeoutMs: 300 });
      await expect(db.query(statement('select pg_sleep(30)'))).rejects.toMatchObject({
        code: 'GATEWAY_TIMEOUT',
        cause: { code: '57014' },
      });
      const other = await connect(tight.through(url));
      expect((await other.query('select pg_sleep(0.5), 1 as one')).rows[0].one).toBe(1);
      await other.end();
      expect(await db.query(statement('select 1 as one'))).toEqual([{ one: 1 }]);
    });

    it('ends what nobody waits for any more', async () => {
      const { db } = await service(tight.through(url));
      const watcher = await connect(url);
      const running = async () =>
        (
          await watcher.query(`select from pg_stat_activity where datname = current_database()
            and pid <> pg_backend_pid() and query like '%generate_series(1, 1e12%' and state <> 'idle'`)
        ).rows.length;
      const endless = statement('select count(*) from generate_series(1, 1e12::bigint)');
      for (const begin of [
        (signal: AbortSignal) => db.query(endless, {}, signal),
        (signal: AbortSignal) => db.readRows(endless, {}, signal),
        async (signal: AbortSignal) => {
          for await (const _ of db.streamRows?.(endless, {}, signal) ?? []);
        },
      ]) {
        const leaving = new AbortController();
        const asked = begin(leaving.signal).then(
          () => 'answered',
          () => 'ended',
        );
        await expect.poll(running).toBe(1);
        leaving.abort();
        expect(await asked).toBe('ended');
        await expect.poll(running).toBe(0);
      }
      expect(await db.query(statement('select 1 as one'))).toEqual([{ one: 1 }]);
      await watcher.end();
    });
  });
});
