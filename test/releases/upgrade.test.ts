// A database of each release comes to today's schema with every point, and answers what the points say.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate as applyToServer } from 'drizzle-orm/node-postgres/migrator';
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';
import { migrate as applyToPglite } from 'drizzle-orm/pglite/migrator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../src/cli/migrate.ts';
import type { Database } from '../../src/db/database.ts';
import { openPglite } from '../../src/db/pglite.ts';
import { summary } from '../../src/queries/statistics/summary.ts';
import { refreshRollups, runOn } from '../../src/store/refresh-rollups.ts';
import { createRollups } from '../../src/store/rollups-in-use.ts';
import { arrangements } from '../db/arrangements.ts';
import { describeEachServer } from '../engines.ts';
import { NO_ROLLUPS } from '../no-rollups.ts';
import { dataFolder } from '../process.ts';
import { journalOf, keptMigrations, keptVersions, MIGRATIONS, migrationsOf } from './kept-releases.ts';

const { database, open } = arrangements();

/** Three days, to the hour of now, at a point every 200 s: of every kind, some of one time. */
const POINTS = `
  insert into audio_data
  select date_trunc('hour', now()) - n / 2 * interval '400 seconds', nullif(-(n * 7 % 500) / 10.0, -49.9),
    case when n % 11 > 0 then 100 + n * 13 % 7900 end, n % 5 = 0
  from generate_series(1, 1296) n`;
const ALL = `select to_char(time at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') as at, rms_db, frequency_hz, is_silence
  from audio_data order by 1, 2, 3, 4`;
const WEEK = `select
  to_char(date_trunc('hour', now() at time zone 'UTC') - interval '6 days', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "from",
  to_char(date_trunc('hour', now() at time zone 'UTC') + interval '1 day', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "to"`;

describe.each(keptVersions())('A database of %s', (version) => {
  const released = keptMigrations(version);
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'audio-metrics-'));
    mkdirSync(join(folder, 'meta'));
    for (const tag of Object.keys(released)) cpSync(`${MIGRATIONS}${tag}.sql`, join(folder, `${tag}.sql`));
    writeFileSync(join(folder, 'meta/_journal.json'), JSON.stringify(journalOf(Object.keys(released))));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('was made by migrations that are here unchanged, before all others', () => {
    expect(Object.entries(migrationsOf()).slice(0, Object.keys(released).length)).toEqual(
      Object.entries(released),
    );
  });

  /** The points, and their statistics by the points alone. */
  async function contents(db: Database) {
    const run = runOn(db);
    const [week = { from: '', to: '' }] = await run<{ from: string; to: string }>(WEEK, []);
    const points = await run(ALL, []);
    return { points, week, statistics: rounded(await summary({ db, rollups: NO_ROLLUPS }, week)) };
  }

  async function expectSame(db: Database, before: Awaited<ReturnType<typeof contents>>) {
    await db.ready();
    const { points, statistics } = await contents(db);
    expect(points).toHaveLength(1296);
    expect(points).toEqual(before.points);
    expect(statistics).toEqual(before.statistics);
    const rollups = createRollups(db);
    expect(await rollups.inUse()).toBe(true);
    expect(rounded(await summary({ db, rollups }, before.week))).toEqual(before.statistics);
  }

  describeEachServer('is migrated with its points', (engine, server) => {
    it('and answers alike before and after', async () => {
      const { url, owner } = await database(server);
      const isTimescale = engine.name === 'TimescaleDB';
      if (isTimescale) await owner.query('create extension timescaledb');
      await owner.query(`set audio_metrics.timescaledb = '${isTimescale ? 'on' : 'off'}'`);
      await applyToServer(drizzle(owner), { migrationsFolder: folder });
      await owner.query(POINTS);
      const db = open(url, { queryTimeoutMs: 30_000 });
      const before = await contents(db);
      await migrate({ url });
      await expectSame(db, before);
    });
  });

  it('that is embedded is migrated with its points when it is opened', async () => {
    const dataDir = dataFolder(); // emptied, for it is made in seconds
    const pglite = await PGlite.create(join(dataDir, 'pg'));
    await pglite.exec('drop schema public cascade; drop schema drizzle cascade; create schema public');
    await applyToPglite(drizzlePglite(pglite), { migrationsFolder: folder });
    await pglite.exec(POINTS);
    const points = await pglite.query(ALL);
    await pglite.close();
    const db = await openPglite({ dataDir });
    try {
      const found = await contents(db);
      expect(found.points).toHaveLength(1296);
      expect(found.points).toEqual(points.rows);
      await refreshRollups(db.run, 100);
      await expectSame(db, found);
    } finally {
      await db.close();
    }
  });
});

/** Sums of powers depend on their order, in the last digit. */
function rounded(statistics: object): unknown {
  return JSON.parse(JSON.stringify(statistics), (_, value) =>
    typeof value === 'number' ? Number(value.toPrecision(12)) : value,
  );
}
