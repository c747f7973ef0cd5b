// Databases of the oldest schema that this version migrates keep their points, and older ones are refused.
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { describe, expect, it } from 'vitest';
import { migrate } from '../../src/cli/migrate.ts';
import type { Database } from '../../src/database/database.ts';
import { openPglite } from '../../src/database/pglite.ts';
import { summary } from '../../src/operations/stats/summary/query.ts';
import { refreshRollups, runOn } from '../../src/rollups/refresh-rollups.ts';
import { createRollups } from '../../src/rollups/store.ts';
import { arrangements } from '../database/arrangements.ts';
import { describeEachServer } from '../engines.ts';
import { noRollups } from '../no-rollups.ts';
import { dataFolder } from '../process.ts';
import { applyFirst, migrations, OLDEST } from './migrations.ts';

const { addRole, database, open } = arrangements();

/** Points of all kinds over three days up to the current hour, two every 400 s with equal times. */
const POINTS = `
  insert into audio_data
  select date_trunc('hour', now()) - n / 2 * interval '400 seconds', nullif(-(n * 7 % 500) / 10.0, -49.9),
    case when n % 11 > 0 then 100 + n * 13 % 7900 end, n % 5 = 0
  from generate_series(1, 1296) n`;
const ALL = `select to_char(time at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') as at, rms_db, frequency_hz, is_silence
  from audio_data order by 1, 2, 3, 4`;
const NOTED = `
  insert into audio_data_periods (since, weighting, time_weighting, interval_ms, statistic, clock)
    values ('2026-01-01Z', 'A', 'fast', 125, 'max', 'machine');
  insert into audio_data_overload values ('2026-01-01Z', 3);
  insert into audio_data_clock values ('2026-01-01Z', -2.5);
  insert into audio_data_exclusions (since, until, reason) values ('2026-01-01Z', '2026-01-02Z', 'rain');
  insert into audio_data_spools values ('a spool', '{[7,8)}')`;
const KEPT = `select interval_ms, statistic, clock, overloaded, reason, segments, to_regclass('audio_data_clock') as corrections
  from audio_data_periods, audio_data_overload, audio_data_exclusions, audio_data_spools`;
const NOTHING_LOST = [
  {
    interval_ms: 125,
    statistic: 'max',
    clock: 'machine',
    overloaded: 3,
    reason: 'rain',
    segments: '{[7,8)}',
    corrections: null,
  },
];
const WEEK = `select
  to_char(date_trunc('hour', now() at time zone 'UTC') - interval '6 days', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "from",
  to_char(date_trunc('hour', now() at time zone 'UTC') + interval '1 day', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "to"`;
const TOO_OLD = /too old.*4c91cf3bd982/;

it('All migrations have later dates than those before, because older ones are skipped', () => {
  const dates = migrations().map(({ when }) => when);
  expect(dates).toEqual([...new Set(dates)].toSorted((a, b) => a - b));
});

describe('A database of the oldest schema', () => {
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
    const isTimescale = engine.name === 'TimescaleDB';

    /** A database with the first migrations. */
    async function withMigrations(count: number) {
      const { url, name, owner } = await database(server);
      if (isTimescale) await owner.query('create extension timescaledb');
      await owner.query(`set audio_metrics.timescaledb = '${isTimescale ? 'on' : 'off'}'`);
      await applyFirst(count, (text) => owner.query(text));
      return { url, name, owner };
    }

    it('and all notes about them, while a service is connected', async () => {
      const { url, name, owner } = await withMigrations(OLDEST);
      await owner.query(`${POINTS}; ${NOTED}`);
      await owner.query('select audio_data_refresh(100000)');
      const reader = await addRole(url, `reader_${name}`);
      await owner.query(`grant usage on schema public, drizzle to ${reader.quoted};
        grant select on all tables in schema public, drizzle to ${reader.quoted};
        grant execute on all functions in schema public to ${reader.quoted}`);
      const points = (await owner.query(ALL)).rows;
      const opened = open(reader.url, { queryTimeoutMs: 30_000 }); // stays connected while the schema changes
      await runOn(opened)('select count(*) from audio_data', []);

      await migrate({ url, readerRole: `reader_${name}` });
      await expectSame(open(url, { queryTimeoutMs: 30_000 }), points);
      await expectSame(opened, points);
      expect((await owner.query(KEPT)).rows).toEqual(NOTHING_LOST);
      if (!isTimescale) return;
      const { rows: left } = await owner.query(`select
        (select count(*)::int from timescaledb_information.continuous_aggregates) as aggregates,
        (select count(*)::int from timescaledb_information.jobs where hypertable_name like 'audio\\_data%') as jobs`);
      expect(left).toEqual([{ aggregates: 1, jobs: 4 }]);
    });

    it('unless it is older: nothing is changed then, and the message names the commit to migrate with', async () => {
      const { url, owner } = await withMigrations(OLDEST - 1);
      const applied = async () =>
        (await owner.query('select count(*)::int as count from drizzle.__drizzle_migrations')).rows;
      await expect(migrate({ url })).rejects.toThrow(TOO_OLD);
      expect(await applied()).toEqual([{ count: OLDEST - 1 }]);
    });
  });

  describe('in the embedded database', () => {
    /** A copy that is emptied, because creating a folder takes seconds. */
    async function folderWith(count: number) {
      const dataDir = dataFolder();
      const pglite = await PGlite.create(join(dataDir, 'pg'));
      await pglite.exec('drop schema public cascade; drop schema drizzle cascade; create schema public');
      await applyFirst(count, (text) => pglite.exec(text));
      return { dataDir, pglite };
    }

    it('is migrated with its points when it is opened', async () => {
      const { dataDir, pglite } = await folderWith(OLDEST);
      await pglite.exec(`${POINTS}; ${NOTED}`);
      const points = await pglite.query(ALL);
      await pglite.close();
      const db = await openPglite({ dataDir });
      try {
        await expectSame(db, points.rows);
        expect(await db.run(KEPT, [])).toEqual(NOTHING_LOST);
        await refreshRollups(db.run, 100_000);
        await expectSame(db, points.rows);
      } finally {
        await db.close();
      }
    });

    it('is refused if it is older', async () => {
      const { dataDir, pglite } = await folderWith(OLDEST - 1);
      await pglite.close();
      await expect(openPglite({ dataDir })).rejects.toMatchObject({
        cause: { message: expect.stringMatching(TOO_OLD) },
      });
    });
  });
});

/** Rounds figures, because the last digits of power sums depend on the order of points. */
function rounded(statistics: object): unknown {
  return JSON.parse(JSON.stringify(statistics), (_, value) =>
    typeof value === 'number' ? Number(value.toPrecision(12)) : value,
  );
}
