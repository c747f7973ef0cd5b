// One of the servers behind a database freezes: its stations are refused, and the others keep all of their slots.
import type { Client } from 'pg';
import { afterEach, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { atStation } from '../../src/cli/station-site.ts';
import type { Database, Statement } from '../../src/database/database.ts';
import { openPostgres } from '../../src/database/postgres.ts';
import { openServers } from '../../src/database/servers.ts';
import { listStations } from '../../src/database/station-schemas.ts';
import { createRollups } from '../../src/rollups/store.ts';
import { databaseOn } from '../citus.ts';
import { connect, createDatabase, describeServer, openForAll } from '../engines.ts';
import { callStation } from '../in-process.ts';
import { needs } from '../needs.ts';
import { makeStation, placed } from '../stations.ts';
import { send } from './raw.ts';
import { logged, serviceOn } from './service-on.ts';

const SERVERS: Record<string, string> = { garden: 'one', attic: 'one', street: 'two', pier: 'two' };

const latest = (station: string, limit: number) => `/stations/${station}/api/v1/audio/latest?limit=${limit}`;
const series = (station: string, points: number) =>
  `/stations/${station}/api/v1/stats/series?from=now-7d&to=now&max_points=${points}`;
const csv = (station: string) => `/stations/${station}/api/v1/export/csv?from=now-1h&to=now`;

/** Nothing of these schemas answers, until the returned function is called. */
async function lockAll(owner: Client, ...schemas: string[]) {
  const { rows } = await owner.query(
    `select string_agg(format('%I.%I', schemaname, tablename), ', ') as tables from pg_tables where schemaname = any($1)`,
    [schemas],
  );
  await owner.query(`begin; lock table ${rows[0].tables} in access exclusive mode`);
  return () => owner.query('rollback');
}

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

  const drive = () =>
    openPostgres({
      url: database.url ?? '',
      poolSize: 6,
      queryTimeoutMs: 60_000,
      exportTimeoutMs: 60_000,
    });

  /** A service, a function that sends a request, and the requests without an answer. */
  async function start(servers: Database, logger = logged('info').logger) {
    const db = placed(servers, SERVERS);
    const limits = { poolSize: 6, heavySlots: 1 };
    const root = await serviceOn(db, { rollups: createRollups(db), logger, limits });
    closers.push(servers.close);
    const pending = new Set<Promise<unknown>>();
    const get = (path: string) => {
      const answer = send(`${root}${path}`).finally(() => pending.delete(answer));
      pending.add(answer);
      return answer;
    };
    for (const name of Object.keys(SERVERS)) expect((await get(latest(name, 1))).status).toBe(200);
    const flood = () =>
      [10, 11, 12, 13, 14, 15, 16, 17].flatMap((n) => [get(latest('garden', n)), get(series('attic', n))]);
    return { get, flood, pending };
  }

  async function freeze(...stations: string[]) {
    const owner = await connect(database.url ?? '');
    closers.push(() => owner.end());
    return lockAll(owner, ...stations);
  }

  it('leaves their slots to the other stations', async () => {
    const [one, others] = [drive(), drive()];
    closers.push(one.close);
    const at = ({ server }: Statement) => (server === 'one' ? one : others);
    const { get, flood, pending } = await start({
      ...others,
      query: (statement, ...rest) => at(statement).query(statement, ...rest),
      copyOut: (statement, ...rest) => at(statement).copyOut(statement, ...rest),
    });
    const thaw = await freeze('garden', 'attic');
    const stuck = flood();
    for (let n = 1; n <= 20; n++)
      for (const path of [latest('street', n), series('pier', n), csv('street'), latest('pier', n)])
        expect((await get(path)).status).toBe(200);
    expect(pending.size).toBe(stuck.length);
    await thaw();
    for (const answer of stuck) expect((await answer).status).toBe(200);
  });

  it('gets its requests refused at once, until it answers', async () => {
    const { lines, logger } = logged('info');
    const { get, flood } = await start(openServers(drive, logger), logger);
    const thaw = await freeze('garden', 'attic');
    const stuck = flood();
    await expect
      .poll(() => get(latest('attic', 500)))
      .toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    for (const answer of stuck) expect((await answer).status).toBe(503); // those that waited, too
    for (const path of [latest('garden', 501), series('garden', 501), csv('garden')]) {
      const { status, headers, body } = await get(path);
      expect([status, headers['retry-after']]).toEqual([503, '1']);
      expect(JSON.parse(`${body}`).detail).toBe("The station's server does not answer; try again");
    }
    expect((await get(latest('street', 501))).status).toBe(200);
    const { stations } = JSON.parse(`${(await get('/api/v1/stations')).body}`);
    const unavailable = stations.filter(({ state }: { state: string }) => state === 'unavailable');
    expect(unavailable.map(({ name }: { name: string }) => name)).toEqual(['attic', 'garden']);

    await thaw();
    await expect.poll(async () => (await get(latest('garden', 1))).status).toBe(200);
    expect((await get(latest('attic', 1))).status).toBe(200);
    expect(lines.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining([
        'A server does not answer: its stations get 503 until it does',
        'The server answers again',
      ]),
    );
  });
});

describe('A worker of Citus that does not answer', needs('Citus', inject('citus')), () => {
  it('gets the requests of its stations refused, and no others', async () => {
    const cluster = inject('citus');
    if (!cluster) return expect.unreachable();
    const { url, name, drop } = await createDatabase(cluster, cluster.template);
    onTestFinished(drop);
    await callStation(['add', 'garden'], { DATABASE_URL: url });
    const { lines, logger } = logged('info');
    const db = openServers(() => openPostgres({ url, queryTimeoutMs: 5000, exportTimeoutMs: 5000 }), logger);
    onTestFinished(db.close);
    const root = await serviceOn(db, { rollups: createRollups(db), logger });
    const [station] = await listStations(db);
    expect(station).toMatchObject({ name: 'garden', server: expect.stringMatching(/^127.0.0.1:/) });
    const stored = await atStation(db, 'garden');
    await stored.transaction(({ copy }) => copy('2026-01-01T00:00:00Z,-20,,false\n'));
    const used = db.pools().filter(({ idle }) => idle > 0);
    expect(used.map((pool) => pool.name)).toContain(`copies at ${station?.server}`);
    const statusOf = async (path: string) => (await send(`${root}${path}`)).status;
    expect(await statusOf(latest('garden', 1))).toBe(200);
    const worker = cluster.workers?.find((each) => new URL(each).host === station?.server) ?? '';
    const owner = await connect(databaseOn(worker, name));
    onTestFinished(() => owner.end());
    const thaw = await lockAll(owner, 'garden');
    await expect.poll(() => statusOf(latest('garden', 2))).toBe(503);
    expect(await statusOf('/api/v1/audio/latest')).toBe(200);
    await thaw();
    await expect.poll(() => statusOf(latest('garden', 3))).toBe(200);
    expect(lines).toContainEqual(expect.objectContaining({ server: station?.server }));
  });
});
