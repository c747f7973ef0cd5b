// One of the servers behind a database freezes: its stations are refused, and the others keep all of their slots.
import { afterEach, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { openPostgres } from '../../src/database/postgres.ts';
import { openServers } from '../../src/database/servers.ts';
import { createRollups } from '../../src/rollups/store.ts';
import { connect, describeServer, openForAll } from '../engines.ts';
import { makeStation } from '../stations.ts';
import { send } from './raw.ts';
import { logged, serviceOn } from './service-on.ts';

const SERVERS: Record<string, string> = { garden: 'one', attic: 'one', street: 'two', pier: 'two' };

/** Tells the service on which server each station is, as a cluster does. */
const placed = (db: Database): Database => ({
  ...db,
  query: async (statement, ...rest) => {
    const rows = await db.query(statement, ...rest);
    if (statement.name !== 'stations') return rows;
    return rows.map((row) => ({ ...row, server: SERVERS[Object(row).name] }));
  },
});

const latest = (station: string, limit: number) => `/stations/${station}/api/v1/audio/latest?limit=${limit}`;
const series = (station: string, points: number) =>
  `/stations/${station}/api/v1/stats/series?from=now-7d&to=now&max_points=${points}`;
const csv = (station: string) => `/stations/${station}/api/v1/export/csv?from=now-1h&to=now`;

describeServer('postgres', 'A frozen server of several', (engine) => {
  const database = openForAll(() => engine.open());
  const closers: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    for (const name of Object.keys(SERVERS)) {
      await makeStation(database, name);
      await database.sql(`insert into ${name}.audio_data values (now(), -20, 440, false)`);
    }
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  async function start(options: { queryTimeoutMs?: number; graceMs?: number } = {}) {
    const { lines, logger } = logged('info');
    const url = database.url ?? '';
    const open = () =>
      openPostgres({ url, poolSize: 6, queryTimeoutMs: 60_000, exportTimeoutMs: 60_000, ...options });
    const servers = openServers(open, logger);
    const db = placed(servers);
    const root = await serviceOn(db, {
      rollups: createRollups(db),
      logger,
      limits: { poolSize: 6, heavySlots: 1 },
    });
    closers.push(servers.close);
    /** Sends a request, and counts it until its answer. */
    const pending = new Set<Promise<unknown>>();
    const get = (path: string) => {
      const answer = send(`${root}${path}`).finally(() => pending.delete(answer));
      pending.add(answer);
      return answer;
    };
    for (const name of Object.keys(SERVERS)) expect((await get(latest(name, 1))).status).toBe(200);
    return { get, pending, lines: () => lines.map(({ msg }) => msg), servers };
  }

  /** Nothing of these stations answers, until the returned function is called. */
  async function freeze(...stations: string[]) {
    const owner = await connect(database.url ?? '');
    closers.push(() => owner.end());
    const { rows } = await owner.query(
      `select string_agg(format('%I.%I', schemaname, tablename), ', ') as tables from pg_tables where schemaname = any($1)`,
      [stations],
    );
    await owner.query(`begin; lock table ${rows[0].tables} in access exclusive mode`);
    return () => owner.query('rollback');
  }

  it('leaves slots and connections to the others, and gets its requests refused at once', async () => {
    const { get, pending, lines } = await start();
    const thaw = await freeze('garden', 'attic');
    const stuck = [10, 11, 12, 13, 14, 15, 16, 17].flatMap((n) => [
      get(latest('garden', n)),
      get(series('attic', n)),
    ]);
    for (let n = 1; n <= 20; n++)
      for (const path of [latest('street', n), series('pier', n), csv('street'), latest('pier', n)])
        expect((await get(path)).status).toBe(200);
    expect(pending.size).toBe(stuck.length);

    await expect
      .poll(() => get(latest('attic', 500)), { timeout: 10_000 })
      .toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    for (const answer of stuck) expect((await answer).status).toBe(503); // those that waited, too
    for (const path of [latest('garden', 501), series('garden', 501), csv('garden')]) {
      const { status, headers, body } = await get(path);
      expect([status, headers['retry-after']]).toEqual([503, '1']);
      expect(JSON.parse(`${body}`).detail).toBe("The station's server does not answer; try again");
    }
    const { stations } = JSON.parse(`${(await get('/api/v1/stations')).body}`);
    expect(stations.map(({ name, state }: { name: string; state: string }) => [name, state])).toEqual([
      ['default', 'empty'],
      ['attic', 'unavailable'],
      ['garden', 'unavailable'],
      ['pier', 'recording'],
      ['street', 'recording'],
    ]);

    await thaw();
    await expect.poll(async () => (await get(latest('garden', 1))).status).toBe(200);
    expect((await get(latest('attic', 1))).status).toBe(200);
    expect(lines()).toContain('A server does not answer: its stations get 503 until it does');
    expect(lines()).toContain('The server answers again');
  });
});
