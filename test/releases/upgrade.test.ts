import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate as applyToServer } from 'drizzle-orm/node-postgres/migrator';
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';
import { migrate as applyToPglite } from 'drizzle-orm/pglite/migrator';
import { describe, expect, it } from 'vitest';
import { migrate } from '../../src/cli/migrate.ts';
import type { Database } from '../../src/db/database.ts';
import { openPglite } from '../../src/db/pglite.ts';
import { summary } from '../../src/queries/statistics/summary.ts';
import { refreshRollups, runOn } from '../../src/store/refresh-rollups.ts';
import { createRollups } from '../../src/store/store.ts';
import { arrangements } from '../db/arrangements.ts';
import { describeEachServer } from '../engines.ts';
import { noRollups } from '../no-rollups.ts';
import { dataFolder } from '../process.ts';
import { folderOf, keptMigrations, keptVersions, migrations } from './kept-releases.ts';

const { addRole, database, open } = arrangements();

/** Points of all kinds over three days up to the current hour, two every 400 s with equal times. */
const POINTS = `
  insert into audio_data
  select date_trunc('hour', now()) - n / 2 * interval '400 seconds', nullif(-(n * 7 % 500) / 10.0, -49.9),
    case when n % 11 > 0 then 100 + n * 13 % 7900 end, n % 5 = 0
  from generate_series(1, 1296) n`;
const ALL = `select to_char(time at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') as at, rms_db, frequency_hz, is_silence
  from audio_data order by 1, 2, 3, 4`;
const PERIODS = `insert into audio_data_periods
  values ('2026-01-01Z', 'A', null), ('2026-01-02Z', 'A', 'fast'), ('2026-01-03Z', null, null)`;
const KINDS = 'select array_agg(statistic order by since) as kinds from audio_data_periods';
const WEEK = `select
  to_char(date_trunc('hour', now() at time zone 'UTC') - interval '6 days', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "from",
  to_char(date_trunc('hour', now() at time zone 'UTC') + interval '1 day', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "to"`;

/** Versions, and how many of their migrations a database has. Early databases of 0.1.0 have only seven. */
const STATES = keptVersions().flatMap((version) => {
  const { length } = keptMigrations(version);
  return version === '0.1.0'
    ? [
        { version, count: 7 },
        { version, count: length },
      ]
    : [{ version, count: length }];
});

it('All migrations have later dates than those of earlier versions, because Drizzle skips older ones', () => {
  const ours = migrations().map(({ when }) => when);
  const earlier = keptVersions()
    .flatMap(keptMigrations)
    .filter(({ when }) => !ours.includes(when));
  expect(earlier.length).toBeGreaterThan(0);
  for (const { when } of earlier) expect(Math.min(...ours)).toBeGreaterThan(when);
});

describe.each(STATES)('A database of $version with $count migrations', ({ version, count }) => {
  const entries = keptMigrations(version).slice(0, count);

  /** Asserts that all points exist, and that the rollups agree with them. */
  async function expectSame(db: Database, points: unknown[]) {
    await db.ready();
    const run = runOn(db);
    expect(points.length).toBeGreaterThanOrEqual(1296);
    expect(await run(ALL, [])).toEqual(points);
    const [week = { from: '', to: '' }] = await run<{ from: string; to: string }>(WEEK, []);
    const rollups = createRollups(db);
    expect(await rollups.inUse()).toBe(true);
    const statistics = rounded(await summary({ db, rollups }, week));
    expect(statistics).toEqual(rounded(await summary({ db, rollups: noRollups() }, week)));
    expect(statistics).toMatchObject({ point_count: 1296 });
  }

  describeEachServer('is migrated with its points', (engine, server) => {
    it('and all notes about them, while a service is connected', async () => {
      const { url, name, owner } = await database(server);
      const isTimescale = engine.name === 'TimescaleDB';
      if (isTimescale) await owner.query('create extension timescaledb');
      await owner.query(`set audio_metrics.timescaledb = '${isTimescale ? 'on' : 'off'}'`);
      await applyToServer(drizzle(owner), { migrationsFolder: folderOf(entries) });
      await owner.query(POINTS);
      const reader = await addRole(url, `reader_${name}`);
      await owner.query(`grant usage on schema public, drizzle to ${reader.quoted};
        grant select on all tables in schema public, drizzle to ${reader.quoted};
        insert into audio_data_spools values ('a spool', '{"7"}')`);
      if (count > 7) await owner.query(PERIODS);
      if (!isTimescale) await owner.query(`update audio_data_refreshes set raw_retention = '400 days'`);
      else
        await owner.query(`
          select add_retention_policy('audio_data', interval '400 days');
          insert into audio_data values (now() - interval '100 days', -10, 440, false)`);
      // a minute whose point has expired; no refresh may remove the minute
      if (isTimescale) {
        await owner.query(
          `call refresh_continuous_aggregate('audio_data_1min', now() - interval '101 days', now() - interval '99 days')`,
        );
        await owner.query(`select drop_chunks('audio_data', interval '50 days')`);
      }
      const minutes = 'select count(*)::int as minutes, sum(point_count)::int as points from audio_data_1min';
      const before = { points: (await owner.query(ALL)).rows, minutes: (await owner.query(minutes)).rows };
      const opened = open(reader.url, { queryTimeoutMs: 30_000 }); // stays connected while the schema changes
      await runOn(opened)('select count(*) from audio_data', []);

      await migrate({ url });
      await expectSame(open(url, { queryTimeoutMs: 30_000 }), before.points);
      await expectSame(opened, before.points);
      // even without READER_ROLE, because station lists and backups read it
      expect(await runOn(opened)('select from audio_data_station', [])).toEqual([]);
      expect((await owner.query(minutes)).rows).toEqual(before.minutes);
      const { rows } = await owner.query(`select raw_retention as retention, segments,
          (${KINDS}) as statistics from audio_data_refreshes, audio_data_spools`);
      expect(rows).toEqual([
        { retention: '400 days', segments: '{"7"}', statistics: count > 7 ? ['leq', 'max', null] : null },
      ]);
      if (!isTimescale) return;
      const { rows: left } = await owner.query(`select
        (select count(*)::int from timescaledb_information.continuous_aggregates) as aggregates,
        (select count(*)::int from timescaledb_information.jobs where hypertable_name like 'audio\\_data%') as jobs`);
      expect(left).toEqual([{ aggregates: 1, jobs: 4 }]);
    });
  });

  if (count > 7)
    it('in the embedded database is migrated with its points when it is opened', async () => {
      const dataDir = dataFolder(); // a copy that is emptied, because creating a folder takes seconds
      const pglite = await PGlite.create(join(dataDir, 'pg'));
      await pglite.exec('drop schema public cascade; drop schema drizzle cascade; create schema public');
      await applyToPglite(drizzlePglite(pglite), { migrationsFolder: folderOf(entries) });
      await pglite.exec(`${POINTS}; ${PERIODS}`);
      const points = await pglite.query(ALL);
      await pglite.close();
      const db = await openPglite({ dataDir });
      try {
        await expectSame(db, points.rows);
        expect(await db.run(KINDS, [])).toEqual([{ kinds: ['leq', 'max', null] }]);
        await refreshRollups(db.run, 100_000);
        await expectSame(db, points.rows);
      } finally {
        await db.close();
      }
    });
});

/** Rounds figures, because the last digits of power sums depend on the order of points. */
function rounded(statistics: object): unknown {
  return JSON.parse(JSON.stringify(statistics), (_, value) =>
    typeof value === 'number' ? Number(value.toPrecision(12)) : value,
  );
}
