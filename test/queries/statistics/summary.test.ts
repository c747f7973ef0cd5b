import { beforeAll, expect, inject, it } from 'vitest';
import { instantOfMicros, microsOf } from '../../../src/contract/instant.ts';
import { grantReader } from '../../../src/db/grant-reader.ts';
import { FUNCTIONS, ROLLUPS, resolutionsOf } from '../../../src/db/rollups.ts';
import { gaps } from '../../../src/queries/statistics/gaps.ts';
import { series } from '../../../src/queries/statistics/series.ts';
import { summary } from '../../../src/queries/statistics/summary.ts';
import { totalsBetween } from '../../../src/queries/statistics/totals-between.ts';
import { createRollups } from '../../../src/store/rollups-in-use.ts';
import { splitInterval } from '../../../src/store/split-interval.ts';
import type { Store } from '../../../src/store/store.ts';
import { startCluster, timescaleSettings } from '../../cluster.ts';
import { arrangements } from '../../db/arrangements.ts';
import { connect, describeServer, openForAll, statement } from '../../engines.ts';
import { seeded } from '../../seeded.ts';
import { changes, DAYS, FEW, START, settle } from '../changing-points.ts';
import { comparisons } from '../comparisons.ts';

const { closers, open, addRole } = arrangements();

describeServer('timescale', 'summary from rollups', (engine) => {
  const test = openForAll(() => engine.open());
  let owner: Awaited<ReturnType<typeof connect>>;
  beforeAll(async () => {
    owner = await connect(test.url ?? '');
    await settle(owner, FEW);
    return () => owner.end();
  });

  const random = seeded(1);
  const { someRange, raw, expectSame, compareBeside, compare, others } = comparisons(test, random);
  const { change } = changes(random, FEW);
  const interval = { from: '2026-02-01T00:30:00.000000Z', to: '2026-02-11T00:30:00.000000Z' };

  /** A store, and the warnings of its rollups. */
  function noted(url: string) {
    const warnings: object[] = [];
    const db = open(url);
    const rollups = createRollups(db, { warn: (fields) => warnings.push(fields) });
    return { store: { db, rollups }, warnings };
  }

  /** Compares beside two others that change the points. */
  async function compareWhileChanging(count: number, store: Store = test) {
    const second = await connect(test.url ?? '');
    await compareBeside(count, [() => change(owner), () => change(second)], store);
    await second.end();
  }

  it('equals the raw points in every field while they change', async () => {
    await compareWhileChanging(6);
    await compare(6);
  });

  it('would not, if the buckets that have changed were used', async () => {
    for (let n = 0; n < 11; n++) await change(owner);
    await owner.query(`insert into audio_data values ('2026-02-05T12:34:56Z', 0, 1234, false)`);
    const all = { from: BigInt(START) * 1000n, to: BigInt(START + (DAYS - 1) * 86_400_000) * 1000n };
    const careless = resolutionsOf('histogram').map(({ name, seconds }) => ({
      resolution: name,
      seconds,
      fresh: [all],
    }));
    const interval = { from: instantOfMicros(all.from), to: instantOfMicros(all.to) };
    const [stale] = await test.db.query<{ points: number }>(
      statement(`select coalesce(sum(point_count), 0)::float8 as points from audio_data_histogram_1d
        where bucket >= '${interval.from}' and bucket < '${interval.to}'`),
    );
    expect(splitInterval(all, careless).map(({ source }) => source)).toEqual(['1d']);
    const right = await summary(raw(test), interval);
    expect(stale?.points).not.toBe(right.point_count);
    expectSame(await summary(test, interval), right, 'with care');
  });

  it('does not lose points that an update takes out of the columnstore while a refresh begins', async () => {
    const [updater, locker] = [await connect(test.url ?? ''), await connect(test.url ?? '')];
    const [from, to] = ['2026-03-01 20:00', '2026-03-02 04:00']; // in two chunks
    const points = `time >= '2026-03-01Z' and time < '2026-03-03Z'`;
    await owner.query(`
      insert into audio_data select '2026-03-01Z'::timestamptz + n * interval '1 min', -20, 440, false
      from generate_series(0, 2879) n`);
    await owner.query(
      `select compress_chunk(c) from show_chunks('audio_data', newer_than => '2026-03-01Z'::timestamptz) c`,
    );
    const { rows } = await owner.query(`
      select compress_relid::text as name
      from show_chunks('audio_data', newer_than => '2026-03-02Z'::timestamptz, older_than => '2026-03-03Z'::timestamptz) as chunk
      join _timescaledb_catalog.compression_settings on relid = chunk`);
    await locker.query(`begin; lock table ${rows[0].name} in access exclusive mode`); // holds its planning up half way
    const refresh = owner.query(
      `call refresh_continuous_aggregate('audio_data_total_1h', '${from}Z', '${to}Z')`,
    );
    const waiting = () =>
      test.sql(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
    await expect.poll(waiting).toHaveLength(1);
    const update = updater.query(`update audio_data set rms_db = -30 where time = '2026-03-01 12:00Z'`);
    await expect.poll(waiting).toHaveLength(2);
    await locker.query('commit');
    await Promise.all([refresh, update]);
    await Promise.all([updater.end(), locker.end()]);
    const interval = { from: '2026-03-01T20:00:00.000000Z', to: '2026-03-02T04:00:00.000000Z' };
    const buckets = await series(test, interval, 3600);
    expect(buckets.map(({ point_count }) => point_count)).toEqual([60, 60, 60, 60, 60, 60, 60, 60]);
    await owner.query(`delete from audio_data where ${points}`);
  });

  it('is told of every change, also of points newer than all that was ever refreshed', async () => {
    await owner.query(`insert into audio_data values ('2031-05-06T07:08:09Z', -20, 440, false)`);
    const { rows } = await owner.query(`
      select from _timescaledb_catalog.continuous_aggs_hypertable_invalidation_log
      where greatest_modified_value = extract(epoch from '2031-05-06T07:08:09Z'::timestamptz) * 1000000`);
    expect(rows).toHaveLength(1);
  });

  it('does so on a streaming replica too', async () => {
    const url = new URL(test.url ?? '');
    const replica = await startCluster(inject('postgresBin') ?? '', timescaleSettings, url.href);
    closers.push(() => replica.stop());
    const own = new URL(replica.url);
    own.pathname = url.pathname;
    const db = open(own.href, { queryTimeoutMs: 20_000, exportTimeoutMs: 20_000 });
    const rollups = createRollups(db);
    expect(await db.query(statement('select pg_is_in_recovery() as it'))).toEqual([{ it: true }]);
    expect(await rollups.inUse()).toBe(true);
    await compareWhileChanging(4, { db, rollups });
  });

  it('answers from the points while a rollup is missing that was there', async () => {
    const expected = await summary(raw(test), interval);
    expect(await test.rollups.inUse()).toBe(true);
    await owner.query('set timescaledb.restoring = on; alter view audio_data_histogram_1d rename to other');
    try {
      expectSame(await summary(test, interval), expected, 'without a rollup');
    } finally {
      await owner.query(
        'alter view other rename to audio_data_histogram_1d; set timescaledb.restoring = off',
      );
    }
  });

  it('reads what was dropped, of the points or of a rollup, as the points read', async () => {
    await owner.query(`select drop_chunks('audio_data', older_than => '2026-02-03Z'::timestamptz)`);
    await compare(3);
    await owner.query(
      `call refresh_continuous_aggregate('audio_data_total_30m', '2026-01-01Z', '2026-02-12Z')`,
    );
    await compare(3);
    await owner.query(
      `select drop_chunks('audio_data_histogram_30m', older_than => '2026-02-06Z'::timestamptz)`,
    );
    await owner.query(
      `select drop_chunks('audio_data_histogram_1d', older_than => '2026-02-09Z'::timestamptz)`,
    );
    await compare(3);
    await owner.query('truncate audio_data_total_1d');
    await compare(3);
  });

  it('does not take for whole what a refresh by hand brings back of what retention dropped', async () => {
    const rollups = ['total', 'histogram'].map((key) => `audio_data_${key}_5m`);
    const day = Math.floor(Date.now() / 86_400_000 - 4) * 86_400_000;
    const at = (minutes: number) => new Date(day + minutes * 60_000).toISOString().replace('Z', '000Z');
    await owner.query(`insert into audio_data
      select '${at(0)}'::timestamptz + n * interval '1 s', -30 + n % 7, 440 + n % 3, false from generate_series(0, 7199) n`);
    const refresh = async () => {
      for (const name of rollups)
        await owner.query(`call refresh_continuous_aggregate('${name}', '${at(0)}', '${at(120)}')`);
    };
    await refresh();
    for (const name of rollups.slice(1)) {
      await owner.query(`select add_retention_policy('${name}', interval '2 days')`);
      await owner.query(`select drop_chunks('${name}', interval '2 days')`);
    }
    await owner.query(`insert into audio_data values ('${at(33)}', -1, 440, false)`);
    await refresh();
    const interval = { from: at(20), to: at(60) };
    expectSame(await summary(test, interval), await summary(raw(test), interval), 'after it came back');
    for (const name of rollups.slice(1)) await owner.query(`select remove_retention_policy('${name}')`);
    await owner.query(`delete from audio_data where time >= '${at(0)}' and time < '${at(120)}'`);
  });

  it('keeps few statements in the server', async () => {
    const db = open(test.url ?? '', { poolSize: 1 });
    const store = { db, rollups: createRollups(db) };
    for (let n = 0; n < 20; n++) {
      const { from, to } = someRange();
      await summary(store, { from: instantOfMicros(from), to: instantOfMicros(to) });
      const minute = { from: instantOfMicros(from), to: instantOfMicros(from + 60_000_000n) };
      await gaps(store, minute, 1 + n / 1e6); // what a caller chose is no new statement to keep
      await totalsBetween(store, minute, [minute.from, instantOfMicros(from + BigInt(n)), minute.to]);
    }
    const counted = statement('select count(*)::int as count from pg_prepared_statements');
    const [kept] = await db.query<{ count: number }>(counted);
    expect(kept?.count).toBeLessThan(8);
  });

  it('works for a role that can only read', async () => {
    const role = `reader_${process.pid}`;
    const { url } = await addRole(test.url ?? '', role);
    await owner.query('revoke execute on all functions in schema public from public');
    const relations = ROLLUPS.map(({ name }) => name);
    await grantReader(owner, role, relations, FUNCTIONS);
    const db = open(url);
    const rollups = createRollups(db);
    expect(await rollups.inUse()).toBe(true);
    expectSame(await summary({ db, rollups }, interval), await summary(raw(test), interval), 'as the reader');
    const range = { from: microsOf(interval.from), to: microsOf(interval.to) };
    for (const other of others) await other({ range, interval, bucket: 3600, store: { db, rollups } });
  });

  it('reads the points for a role that may not read the rollups, and says so', async () => {
    const { url, quoted } = await addRole(test.url ?? '', `stranger_${process.pid}`);
    await owner.query(`grant select on audio_data to ${quoted}`);
    const { store, warnings } = noted(url);
    expectSame(await summary(store, interval), await summary(raw(test), interval), 'as a stranger');
    expect(warnings).toEqual([
      { reason: expect.stringMatching(/^this role may not use audio_data_total_1d, .*READER_ROLE$/) },
    ]);
  });

  it('reads the points where a rollup or what TimescaleDB notes is not as expected, and says so', async () => {
    const expected = await summary(raw(test), interval);
    const database = `alter database ${new URL(test.url ?? '').pathname.slice(1)}`;
    const table = '_timescaledb_catalog.continuous_aggs_materialization_ranges';
    for (const [spoil, mend, reason] of [
      [
        `alter table ${table} rename column lowest_modified_value to lowest`,
        `alter table ${table} rename column lowest to lowest_modified_value`,
        /materialization_ranges.lowest_modified_value is not there, and not bigint/,
      ],
      [
        'alter function audio_data_rollup_state(boolean) rename to another_state',
        'alter function another_state(boolean) rename to audio_data_rollup_state',
        /has no audio_data_rollup_state/,
      ],
      [
        `${database} set timescaledb.skip_cagg_invalidation = on`,
        `${database} reset timescaledb.skip_cagg_invalidation`,
        /skip_cagg_invalidation is on/,
      ],
      [
        'update _timescaledb_catalog.continuous_aggs_invalidation_threshold set watermark = watermark - 1',
        'update _timescaledb_catalog.continuous_aggs_invalidation_threshold set watermark = watermark + 1',
        /not every change of a point is noted: run `npm run migrate`/,
      ],
      [
        'alter table audio_data disable trigger audio_data_await_refreshes',
        'alter table audio_data enable trigger audio_data_await_refreshes',
        /updates of points do not wait for refreshes/,
      ],
      [
        'alter view audio_data_total_1d rename to other',
        'alter view other rename to audio_data_total_1d',
        /no audio_data_total_1d/,
      ],
    ] as const) {
      await owner.query('set timescaledb.restoring = on; set allow_system_table_mods = on');
      await owner.query(spoil);
      const { store, warnings } = noted(test.url ?? '');
      expectSame(await summary(store, interval), expected, spoil);
      await summary(store, interval);
      expect(warnings).toEqual([{ reason: expect.stringMatching(reason) }]);
      await owner.query(mend);
      await owner.query('set timescaledb.restoring = off');
    }
  });
});
