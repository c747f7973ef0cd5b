import { afterEach, describe, expect, inject, it } from 'vitest';
import { migrate } from '../../src/cli/migrate.ts';
import { newestMigration } from '../../src/database/schema-version.ts';
import { summary } from '../../src/operations/stats/summary/query.ts';
import { createRollups } from '../../src/rollups/store.ts';
import { startCluster, timescaleSettings } from '../cluster.ts';
import { arrangements } from '../database/arrangements.ts';
import { SNAPSHOT } from '../database/snapshot.ts';
import {
  describeEachEngine,
  describeEachServer,
  describeServer,
  describeServerOnWire,
  openForAll,
} from '../engines.ts';

const { closers, empty, open, session } = arrangements();

const MINUTE = [
  { name: 'bucket', type: 'timestamp with time zone' },
  { name: 'point_count', type: 'bigint' },
  { name: 'level_count', type: 'bigint' },
  { name: 'level_sum', type: 'numeric' },
  { name: 'min_db', type: 'real' },
  { name: 'max_db', type: 'real' },
  { name: 'power_sum', type: 'double precision' },
  { name: 'silence_count', type: 'bigint' },
];
const EXTENSION = `select extname from pg_extension where extname = 'timescaledb'`;
const columnsOf = (relation: string) =>
  `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
   where attrelid = '${relation}'::regclass and attnum > 0 order by attnum`;

describeEachEngine('The schema', (engine) => {
  const test = openForAll(() => engine.open());
  afterEach(() => test.sql('truncate audio_data'));

  it('has audio_data_1min with the same columns and types', async () => {
    expect(await test.sql(columnsOf('audio_data_1min'))).toEqual(MINUTE);
  });

  it('aggregates each UTC minute, late points included', async () => {
    await test.sql(`insert into audio_data values
      ('2026-01-01T00:00:59.999999Z', -10, 440, false), ('2026-01-01T00:00:00Z', -20, null, true),
      ('2026-01-01T00:00:30Z', null, 440, true), ('2026-01-01T00:01:00Z', -0.1, 100, false)`);
    const refresh = async () => {
      if (engine.name === 'TimescaleDB')
        await test.sql(`call refresh_continuous_aggregate('audio_data_1min', '2025-12-31', '2026-01-03')`);
    };
    await refresh();
    await test.sql(`insert into audio_data values ('2026-01-01T00:00:01Z', -30, 440, false)`);
    await refresh();
    expect(
      await test.sql(`select to_char(bucket at time zone 'UTC', 'HH24:MI') as at, point_count::int, level_count::int,
         level_sum::text, min_db, max_db, round(power_sum::numeric, 9)::text as power_sum, silence_count::int
       from audio_data_1min order by bucket`),
    ).toEqual([
      {
        at: '00:00',
        point_count: 4,
        level_count: 3,
        level_sum: String(-60 * 2 ** 32),
        min_db: -30,
        max_db: -10,
        power_sum: '0.111000000',
        silence_count: 2,
      },
      {
        at: '00:01',
        point_count: 1,
        level_count: 1,
        level_sum: String(Math.round(Math.fround(-0.1) * 2 ** 32)),
        min_db: -0.1,
        max_db: -0.1,
        power_sum: (10 ** (Math.fround(-0.1) / 10)).toFixed(9),
        silence_count: 0,
      },
    ]);
  });

  it('refuses what the contract refuses, and accepts equal points', async () => {
    for (const values of [
      'now(), -50.1, 440',
      'now(), 0.1, 440',
      'now(), -1, 99',
      'now(), -1, 8001',
      `now(), 'NaN', 440`,
    ])
      await expect(test.sql(`insert into audio_data values (${values}, false)`)).rejects.toMatchObject({
        code: '23514',
      });
    await test.sql(
      `insert into audio_data select '2026-01-01T00:00:00Z', -50, 8000 from generate_series(1, 2)`,
    );
    expect(await test.sql('select is_silence, count(*)::int as n from audio_data group by 1')).toEqual([
      { is_silence: false, n: 2 },
    ]);
  });
});

describeEachServer('migrate', (engine, server) => {
  it('logs the layout with the reason, and changes nothing when it runs again', async () => {
    const { run, logged, rows } = await empty(server);
    await run();
    const expected =
      engine.name === 'TimescaleDB'
        ? /^info The layout is hypertable: TimescaleDB 2\.\d+/
        : /^info The layout is plain: (the server has no TimescaleDB|TimescaleDB is installed, but shared_preload_libraries does not load it)$/;
    expect(logged[0]).toMatch(expected);
    const before = await rows(SNAPSHOT);
    await run();
    expect(await rows(SNAPSHOT)).toEqual(before);
  });
});

describeServerOnWire('migrate', (engine, server) => {
  it('runs each migration once, even if three commands run at the same time', async () => {
    const { run, value } = await empty(server);
    await Promise.all([run(), run(), run()]);
    const applied = 'select count(*) = count(distinct created_at) and max(created_at) = ';
    expect(await value(`${applied} ${newestMigration()} from drizzle.__drizzle_migrations`)).toBe(true);
  });

  it('lets this and older versions of the service start; until then the service names the command', async () => {
    const { url, run, owner } = await empty(server);
    const db = open(url);
    await expect(db.ready()).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('npm run migrate'),
    });
    await run();
    await db.ready();
    await owner.query(`delete from drizzle.__drizzle_migrations where created_at = ${newestMigration()}`);
    await expect(db.ready()).rejects.toThrow(/older version.*npm run migrate/);
    await owner.query(`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 9e15)`);
    await db.ready(); // a newer version has migrated
  });

  it('works in another schema', async () => {
    const { url, rows, owner } = await empty(server);
    await owner.query('create schema "My Metrics"');
    await migrate({ url: `${url}?options=${encodeURIComponent('-c search_path="My\\ Metrics"')}` });
    expect(await rows(columnsOf('"My Metrics".audio_data_1min'))).toEqual(MINUTE);
  });

  describe('with READER_ROLE', () => {
    it("gives its sessions their settings once, and keeps the owner's and existing settings", async () => {
      const { run, name, owner, logged, rows, addRole } = await empty(server, server.template);
      const role = `Reader "${name}"`;
      const { url, quoted } = await addRole(role);
      await owner.query(`alter role ${quoted} in database ${name} set max_parallel_workers_per_gather = 1`);
      await run({ readerRole: role });
      const reader = await session(url);
      const shown = `select current_setting('jit') as jit, current_setting('plan_cache_mode') as plans,
        current_setting('timezone') as zone, current_setting('max_parallel_workers_per_gather') as workers`;
      expect((await reader.query(shown)).rows).toEqual([
        { jit: 'off', plans: 'force_custom_plan', zone: 'UTC', workers: '1' },
      ]);
      expect((await rows(shown))[0].zone).toBe('Asia/Kathmandu');
      await run({ readerRole: role });
      expect(logged.filter((line) => line.includes('sessions of'))).toEqual([
        expect.stringMatching(/begin with timezone = UTC, .*jit = off/),
        `info The sessions of ${role} have their settings`,
      ]);
    });

    it('prints the SQL to run if the owner may not alter the role', async () => {
      const { name, owner, logged, details, addRole, run } = await empty(server);
      const [mover, role] = [`mover_${name}`, `reader_${name}`];
      const [{ url }, reader] = [await addRole(mover), await addRole(role)];
      await owner.query(`alter database ${name} owner to ${mover}`);
      if (engine.name === 'TimescaleDB') await owner.query('create extension if not exists timescaledb');
      await owner.query(`alter schema public owner to ${mover}`);
      closers.push(() =>
        owner.query(`alter database ${name} owner to postgres; alter schema public owner to postgres`),
      );
      await run({ url, readerRole: role });
      expect(logged).toContainEqual(expect.stringContaining('may not alter that role'));
      await (await session(reader.url)).query(details.join(' '));
      await run({ url, readerRole: role });
      expect(logged).toContain(`info The sessions of ${role} have their settings`);
    });

    it('names the variable if the role is missing', async () => {
      const { run } = await empty(server, server.template);
      await expect(run({ readerRole: 'nobody here' })).rejects.toThrow(/READER_ROLE is 'nobody here'/);
    });
  });

  it('refuses wrong settings before it changes anything', async () => {
    const { run, rows } = await empty(server);
    const before = await rows(SNAPSHOT);
    for (const [settings, message] of [
      [{ rawRetention: '30 days' }, /RAW_RETENTION is '30 days', but must be more than 30 days/],
      [{ rawRetention: 'a while' }, /RAW_RETENTION is 'a while', but must be an interval/],
      [{ columnstoreAfter: 'soon' }, /COLUMNSTORE_AFTER is 'soon', but must be an interval/],
      [{ rawRetention: '', aggregateRetention: 'x' }, /RAW_RETENTION is ''.*AGGREGATE_RETENTION is 'x'/],
    ] as const)
      await expect(run(settings), JSON.stringify(settings)).rejects.toThrow(message);
    expect(await rows(SNAPSHOT)).toEqual(before);
  });
});

describeServer('timescale', 'The policies', (_, server) => {
  const policies = `select hypertable_name as on, proc_name as does, config - 'hypertable_id' - 'mat_hypertable_id' as with
     from timescaledb_information.jobs where hypertable_schema = 'public' order by 1, 2`;
  /** The expected policies of one relation. Null means that it has no policy of this kind. */
  const on = (
    name: string,
    compress_after: string | null,
    start_offset: string | null,
    drop_after: string | null,
  ) => [
    ...(compress_after ? [{ on: name, does: 'policy_compression', with: { compress_after } }] : []),
    ...(name === 'audio_data'
      ? []
      : [
          {
            on: name,
            does: 'policy_refresh_continuous_aggregate',
            with: { start_offset, end_offset: '00:01:00' },
          },
        ]),
    ...(drop_after ? [{ on: name, does: 'policy_retention', with: { drop_after } }] : []),
  ];
  interface Settings {
    minutes?: string | null;
    refreshFrom?: string | null;
    columnstore?: string;
    points?: string;
  }
  const expected = ({
    minutes = '5 years',
    refreshFrom = '34 days',
    columnstore = '35 days',
    points = '-1 days',
  }: Settings = {}) => [
    ...on('audio_data', points, null, null),
    ...on('audio_data_1min', columnstore, refreshFrom, minutes),
  ];

  it('let a reader use the rollups if TimescaleDB has a schema of its own', async () => {
    const { run, name, owner, addRole } = await empty(server);
    const role = `reader_${name}`;
    await owner.query('create schema ts; create extension timescaledb schema ts');
    const { url } = await addRole(role);
    await run({ readerRole: role });
    await owner.query(`revoke execute on all functions in schema public from public;
      insert into audio_data select '2026-01-05Z'::timestamptz + n * interval '7 min', -20, 440, false
      from generate_series(1, 500) n`);
    await owner.query('select audio_data_refresh(100000)');
    const db = open(url);
    const rollups = createRollups(db);
    expect(await rollups.check()).toMatchObject({ state: 'in use' });
    const statements: string[] = [];
    const noted: typeof db = {
      ...db,
      query(statement, values, signal) {
        statements.push(statement.text);
        return db.query(statement, values, signal);
      },
    };
    const window = { from: '2026-01-04T23:00:00.000000Z', to: '2026-01-08T00:00:00.000000Z' };
    expect(await summary({ db: noted, rollups }, window)).toMatchObject({ point_count: 500, l50_db: -20 });
    expect(statements.some((text) => text.includes('audio_data_histograms'))).toBe(true);
  });

  it('are left out if TimescaleDB is not loaded; the layout stays even if it is loaded later', async () => {
    const { run, rows, logged, owner, name } = await empty(server);
    await owner.query(`alter database ${name} set timescaledb.disable_load = on`);
    await run({ aggregateRetention: '40 days' });
    expect(logged).toEqual([
      expect.stringMatching(/^info The layout is plain: .* shared_preload_libraries does not load it$/),
      'warn AGGREGATE_RETENTION and COLUMNSTORE_AFTER do nothing without TimescaleDB: remove them',
    ]);
    await owner.query(`alter database ${name} reset timescaledb.disable_load`);
    await run();
    expect(logged[2]).toBe('info The layout is plain: the first migration chose it');
    expect(await rows(EXTENSION)).toEqual([]);
  });

  it('are left out on the Apache edition, without leaving the extension behind', async () => {
    const cluster = await startCluster(inject('postgresBin') ?? '', {
      ...timescaleSettings,
      'timescaledb.license': 'apache',
    });
    closers.push(() => cluster.stop());
    const { run, rows, logged } = await empty({ ...server, ...cluster });
    await run();
    expect(logged).toEqual([expect.stringMatching(/^info The layout is plain: .* Apache licence/)]);
    expect(await rows(EXTENSION)).toEqual([]);
    expect(await rows(columnsOf('audio_data_1min'))).toEqual(MINUTE);
  });

  it('are created, follow the settings, and stay when a setting is omitted', async () => {
    const { run, rows } = await empty(server);
    await run();
    expect(await rows(policies)).toEqual(expected());
    await run({ rawRetention: '90 days', aggregateRetention: '10 years' });
    const longer = expected({
      minutes: '10 years',
      columnstore: '90 days',
      refreshFrom: '89 days',
    });
    expect(await rows(policies)).toEqual(longer);
    await run();
    expect(await rows(policies)).toEqual(longer);
    await run({ rawRetention: 'off' });
    expect(await rows(policies)).toEqual(expected({ minutes: '10 years', refreshFrom: null }));
    await run({ aggregateRetention: 'off' });
    await run();
    expect(await rows(policies)).toEqual(expected({ minutes: null, refreshFrom: null }));
  });

  it('keep points in rows for as long as the operator sets', async () => {
    const { run, rows } = await empty(server, server.template);
    for (const [columnstoreAfter, points] of [
      ['3 hours', '03:00:00'],
      ['at once', '-1 days'],
      ['2 days', '2 days'],
    ] as const) {
      await run({ columnstoreAfter });
      expect(await rows(policies)).toEqual(expected({ points, refreshFrom: null }));
      await run();
      expect(await rows(policies)).toEqual(expected({ points, refreshFrom: null }));
    }
  });

  it('drop no existing points until the operator sets a retention', async () => {
    const { run, rows, value, owner, logged } = await empty(server);
    await owner.query(
      'create table audio_data (time timestamptz, rms_db real, frequency_hz int, is_silence boolean)',
    );
    await owner.query(`insert into audio_data values (now() - interval '100 days', -1, 440, false)`);
    await run();
    const kept = 'select raw_retention from audio_data_refreshes';
    expect(await value(kept)).toBeNull();
    expect(logged.filter((line) => line.startsWith('warn'))).toEqual([
      expect.stringMatching(/older than 35 days.*set RAW_RETENTION/),
    ]);
    // the old point's minute is in the aggregate, though refreshes never go back that far
    expect(await rows('select point_count::int from audio_data_1min')).toEqual([{ point_count: 1 }]);
    await run({ rawRetention: '35 days' });
    expect(await rows(policies)).toEqual(expected());
    expect(await value(kept)).toBe('35 days');
  });

  it('come with a setting that lets one statement change any number of points', async () => {
    const { url, owner, name, run, logged, addRole } = await empty(server);
    const { url: asStranger, quoted } = await addRole(`migrates_${name}`);
    await owner.query(`create extension timescaledb; grant all on schema public to ${quoted};
      grant create on database ${name} to ${quoted}`);
    await run({ url: asStranger });
    const setting = 'timescaledb.max_tuples_decompressed_per_dml_transaction';
    expect(logged.join('\n')).toContain(`runs: alter database "${name}" set ${setting} = 0`);
    const shown = async () => {
      const client = await session(url);
      await client.query('select from audio_data'); // loads TimescaleDB
      return (await client.query(`show ${setting}`)).rows[0][setting];
    };
    expect(await shown()).toBe('100000');
    await run();
    expect(await shown()).toBe('0');
    await owner.query(`alter database ${name} set ${setting} = 5000`);
    await run();
    expect(await shown()).toBe('5000');
  });

  it('never refresh minutes whose points have expired', async () => {
    const { run, value, owner } = await empty(server, server.template);
    await owner.query(`insert into audio_data
      select now() - interval '1 day' * n, -10, 440, false from generate_series(33, 38) n`);
    await owner.query(
      `call refresh_continuous_aggregate('audio_data_1min', now() - interval '60 days', now())`,
    );
    await owner.query(`select drop_chunks('audio_data', interval '35 days')`);
    expect(await value('select count(*)::int from audio_data')).toBe(3);
    await run({ rawRetention: 'off' });
    await owner.query(`insert into audio_data values (now() - interval '2 days', -10, 440, false)`);
    const job = await value(`select job_id from timescaledb_information.jobs
      where proc_name like '%refresh%' and hypertable_name = 'audio_data_1min'`);
    await owner.query(`call run_job(${job})`);
    expect(await value('select sum(point_count)::int from audio_data_1min')).toBe(7);
  });
});
