// Answers from rollups equal those of all points, whatever happens to points, triggers and chunks.
import { beforeAll, expect, inject, it } from 'vitest';
import { instantOfMicros } from '../../../src/contract/instant.ts';
import { grantReader } from '../../../src/database/grant-rights.ts';
import { DEFAULT_JOURNAL } from '../../../src/database/schema-version.ts';
import { runOnClient } from '../../../src/database/session.ts';
import { noiseEvents } from '../../../src/operations/events/list/query.ts';
import { loudPoints } from '../../../src/operations/events/loud/query.ts';
import { SEARCH_LIMITS, TooManyPoints } from '../../../src/operations/events/search-runs-back.ts';
import { gapsIn } from '../../../src/operations/stats/gaps.ts';
import { summary } from '../../../src/operations/stats/summary/query.ts';
import { refreshRollups, startRefreshing } from '../../../src/rollups/refresh-rollups.ts';
import { answer } from '../../../src/rollups/rollup-planner.ts';
import { createRollups } from '../../../src/rollups/store.ts';
import { startCluster, timescaleSettings } from '../../cluster.ts';
import { arrangements } from '../../database/arrangements.ts';
import {
  connect,
  describeEachLayout,
  describeServer,
  type Engine,
  openForAll,
  statement,
} from '../../engines.ts';
import { seeded } from '../../seeded.ts';
import { changes, DAYS, FEW, pointsIn, START, toColumnstore } from '../changing-points.ts';
import { comparisons } from '../comparisons.ts';

const { closers, open, addRole } = arrangements();

const fail = () => Promise.reject(new Error('on purpose'));

/** A database with points and their rollups: some days are sparse, and some are not. */
function arranged(engine: Engine) {
  const test = openForAll(() => engine.open());
  const random = seeded(1);
  beforeAll(async () => {
    await test.sql('update audio_data_refreshes set sparse_below = 200');
    await test.sql(pointsIn(FEW));
    if (engine.name === 'TimescaleDB') await test.sql(toColumnstore);
    await refreshRollups(test.sql, 100_000);
  });
  const compared = comparisons(test, random);
  /** Asserts that the summary equals that of the points once the rollups are fresh. */
  async function sameRefreshed(...[interval, about]: Parameters<typeof compared.same>) {
    await refreshRollups(test.sql, 100_000);
    await compared.same(interval, about);
  }
  return { test, random, ...compared, sameRefreshed };
}

function checkRollups(engine: Engine) {
  const { test, random, raw, same, sameRefreshed, compareAtOnce, compare } = arranged(engine);
  const { plainChange, plainKinds } = changes(random, FEW);
  const interval = { from: '2026-02-01T00:30:00.000000Z', to: '2026-02-11T00:30:00.000000Z' };
  const notes = async () => {
    const [row] = await test.sql(
      `select count(*)::int as count from audio_data_notes where kind = 'changed'`,
    );
    return row.count;
  };

  it('equal the points, even with unrefreshed changes', async () => {
    expect(await notes()).toBe(0);
    const kinds = await test.sql(
      `select seconds, kind from audio_data_notes where bucket < '2026-03-01Z' group by 1, 2`,
    );
    expect(kinds).toEqual([{ seconds: 86400, kind: 'sparse' }]);
    const stored = await test.sql('select distinct seconds::int from audio_data_totals order by 1');
    expect(stored).toHaveLength(12); // some days are not sparse
    const ofSparse = await test.sql(`select distinct totals.seconds from audio_data_notes as note
      join audio_data_totals as totals on totals.bucket >= note.bucket and totals.bucket < note.bucket + interval '24 hours'
      where kind = 'sparse' order by 1`);
    expect(ofSparse.map(({ seconds }) => seconds)).toEqual([3600, 86_400]);
    expect(await test.rollups.inUse()).toBe(true);
    await compare(6);
    for (let n = 0; n < plainKinds; n++) await test.sql(plainChange());
    expect(await notes()).toBeGreaterThan(0);
    for (let n = 0; n < 3; n++) await compareAtOnce();
    await compare(6);
  });

  it('are refreshed by the service beside its other work, which logs a second failure in a row', async () => {
    const warnings: string[] = [];
    const log = { info() {}, warn: (_: object, message: string) => void warnings.push(message) };
    const { stop } = startRefreshing(test.db, log);
    await expect.poll(notes).toBe(0);
    await stop();
    const broken = { ...test.db, query: fail, run: fail };
    const second = startRefreshing(broken, log);
    await expect
      .poll(() => warnings)
      .toEqual([
        'Cannot refresh the rollups; retrying every minute. Until a refresh succeeds, statistics are slower and old points stay',
      ]);
    await second.stop();
  });

  it('are the source of answers', async () => {
    await refreshRollups(test.sql, 100_000);
    await summary(test, interval); // from now on the store knows which rollups are fresh
    await test.sql(`update audio_data_histograms set silence_count = silence_count + 1000, counted_at = counted_at + 1
      where seconds = 86400 and bucket = '2026-02-04Z'`);
    const { silence_percent } = await summary(test, interval);
    expect(silence_percent).toBeGreaterThan((await summary(raw(test), interval)).silence_percent ?? 100);
    await test.sql(
      `update audio_data set is_silence = is_silence where time >= '2026-02-04T03:00Z' and time < '2026-02-04T03:02Z'`,
    );
    await same(interval, 'noted');
    await sameRefreshed(interval, 'stored anew');
  });

  it('narrow the search for loud points and events', async () => {
    await test.sql(`insert into audio_data values ('2026-02-04T03:01:02Z', 0, 440, false)`);
    await refreshRollups(test.sql, 100_000);
    const now = '2026-03-01T00:00:00.000000Z';
    const criteria = { threshold: -0.0001, above_background: null, hysteresis: 0, hold_seconds: 1 };
    const search = {
      criteria: { ...criteria, min_duration_seconds: 0, spacing_seconds: 43 },
      limit: 9,
      now,
    };
    const found = async () => [
      (await loudPoints(test, interval, -0.0001, 9, now)).points.count,
      (await noiseEvents(test, { ...search, interval })).events.length,
    ];
    expect(await found()).toEqual([1, 1]);
    await test.sql(
      `update audio_data_totals set max_db = -0.5 where seconds = 60 and bucket = '2026-02-04T03:01Z'`,
    );
    expect(await found()).toEqual([0, 0]);
    await test.sql(`insert into audio_data values ('2026-02-04T03:01:03Z', -50, 440, false)`); // marks the minute as changed
    expect(await found()).toEqual([1, 1]);
    await expect(
      noiseEvents(test, { ...search, interval }, { ...SEARCH_LIMITS, mostRead: 0 }),
    ).rejects.toThrow(TooManyPoints);
    await refreshRollups(test.sql, 100_000);
    expect(await found()).toEqual([1, 1]);
  });

  it('are ignored while a trigger is off, and all recounted once it is on', async () => {
    // fewer points, because all of them are recounted
    await test.sql(`delete from audio_data where time < '2026-02-04Z' or time >= '2026-02-07Z'`);
    await refreshRollups(test.sql, 100_000);
    await test.sql('alter table audio_data disable trigger audio_data_note_update_new');
    await test.sql(
      `update audio_data set rms_db = -0.25 where time >= '2026-02-05Z' and time < '2026-02-05T06:00Z'`,
    );
    await same(interval, 'while it is off');
    expect(await refreshRollups(test.sql, 100_000)).toBe(0);
    await test.sql(
      `alter table audio_data enable ${engine.name === 'TimescaleDB' ? 'always' : ''} trigger audio_data_note_update_new`,
    );
    await same(interval, 'when it is on again');
    expect(await refreshRollups(test.sql, 100_000)).toBeGreaterThan(1);
    await compare(4);
  });

  it('are empty after TRUNCATE', async () => {
    await test.sql('truncate audio_data');
    expect((await summary(test, interval)).point_count).toBe(0);
    await test.sql(`insert into audio_data values ('2026-02-07T01:02:03Z', -20, 440, false)`);
    expect((await summary(test, interval)).point_count).toBe(1);
    await refreshRollups(test.sql, 100_000);
    await compare(4);
  });
}

describeEachLayout('rollups', checkRollups);

describeServer('postgres', 'rollups', (engine) => {
  const { test, random, compareBeside, compare, same, sameRefreshed, someRange, others } = arranged(engine);

  it('equal the points while others change them and refresh', async () => {
    const { plainChange } = changes(random, FEW);
    const [one, two] = [await connect(test.url ?? ''), await connect(test.url ?? '')];
    const { length } = await compareBeside(6, [
      () => one.query(plainChange()),
      () => two.query(`begin; ${plainChange()}; select pg_sleep(0.02); ${plainChange()}; commit`),
      () => test.sql('select audio_data_refresh(100000)'),
    ]);
    expect(length).toBeGreaterThan(5);
    await Promise.all([one.end(), two.end()]);
    await refreshRollups(test.sql, 100_000);
    await compare(6);
  });

  it('miss nothing of a transaction that commits during a refresh', async () => {
    const writer = await connect(test.url ?? '');
    await writer.query(`begin; insert into audio_data values ('2026-02-03T12:34:56Z', -1, 999, false)`);
    await test.sql(`insert into audio_data values ('2026-02-03T12:34:57Z', -1, 999, false)`);
    await refreshRollups(test.sql, 100_000);
    await writer.query('commit');
    await writer.end();
    const all = {
      from: instantOfMicros(BigInt(START) * 1000n),
      to: instantOfMicros(BigInt(START + DAYS * 86_400_000) * 1000n),
    };
    await same(all, 'before the next refresh');
    await sameRefreshed(all, 'after it');
  });

  it('stay correct after a TRUNCATE that did not see concurrent inserts', async () => {
    const other = await connect(test.url ?? '');
    await other.query('begin isolation level repeatable read; select count(*) from audio_data');
    await test.sql(`insert into audio_data values ('2026-02-20T12:00:00Z', -1, 999, false)`);
    await refreshRollups(test.sql, 100_000);
    await other.query('truncate audio_data; commit');
    await other.end();
    await compare(4);
    // two days suffice for the other tests, which recount all points many times
    await test.sql(pointsIn(FEW));
    await test.sql(`delete from audio_data where time < '2026-02-04Z' or time >= '2026-02-06Z'`);
    await refreshRollups(test.sql, 100_000);
  });

  const day = { from: '2026-02-04T00:00:00.000000Z', to: '2026-02-06T00:00:00.000000Z' };
  it.each([
    ['a child table', 'create table kid () inherits (audio_data)', 'drop table kid', 'kid'],
    [
      'a new file',
      'alter table audio_data alter frequency_hz type integer using frequency_hz + 1',
      'select',
      'audio_data',
    ],
    [
      'a partitioned parent table',
      'create table big (like audio_data) partition by range (time); alter table big attach partition audio_data default',
      'alter table big detach partition audio_data; drop table big',
      'big',
    ],
    [
      'a replaced column',
      'alter table audio_data rename is_silence to other; alter table audio_data add is_silence boolean not null default true',
      'alter table audio_data drop is_silence; alter table audio_data rename other to is_silence',
      'audio_data',
    ],
    [
      'no write-ahead log',
      'alter table audio_data set unlogged',
      'alter table audio_data set logged',
      'audio_data',
    ],
    [
      'row-level security',
      'alter table audio_data enable row level security',
      'alter table audio_data disable row level security',
      'audio_data',
    ],
    [
      'triggers that ENABLE TRIGGER ALL has reset',
      'alter table audio_data disable trigger all; alter table audio_data enable trigger all',
      'alter table audio_data enable replica trigger audio_data_note_replica',
      'audio_data',
    ],
  ])('are ignored if the points have %s', async (_, spoil, restore, table) => {
    await test.sql(spoil);
    await test.sql(`insert into ${table} values ('2026-02-04T12:34:56Z', -0.5, 999, false)`);
    await same(day, 'spoilt');
    await sameRefreshed(day, 'after a refresh');
    await test.sql(restore);
    await same(day, 'restored');
    await sameRefreshed(day, 'stored anew');
  });

  it("ignore notes from another user's table", async () => {
    const role = `nobody_${process.pid}`;
    const stranger = await connect(test.url ?? '');
    await stranger.query(
      `create role ${role}; set role ${role}; create temporary table other ("time" timestamptz)`,
    );
    const trigger = `create trigger t after insert on other referencing new table as new_points
      for each statement execute function audio_data_note_changes()`;
    await expect(stranger.query(trigger)).rejects.toThrow(/permission denied for function/);
    await stranger.query(`reset role; drop role if exists ${role}_; drop table other; drop role ${role}`);
    await stranger.query('create temporary table other ("time" timestamptz)');
    await stranger.query(trigger);
    await expect(stranger.query('insert into other values (now())')).rejects.toThrow(/is for audio_data/);
    await stranger.end();
  });

  it('include changes of sessions in the replica role, and of row-based logical replication', async () => {
    const replica = await connect(test.url ?? '');
    await replica.query('set session_replication_role = replica');
    await replica.query(`insert into audio_data values ('2026-02-04T12:34:56Z', -0.5, 999, false)`);
    await replica.query(`update audio_data set rms_db = -0.4 where rms_db = -0.5`);
    await same(day, 'changed');
    await sameRefreshed(day, 'counted');
    await replica.query(
      `delete from audio_data where time >= '2026-02-04T12:00Z' and time < '2026-02-04T13:00Z'`,
    );
    await same(day, 'deleted');
    await replica.end();
  });

  it('keep few prepared statements in the server', async () => {
    const db = open(test.url ?? '', { poolSize: 1 });
    const store = { db, rollups: createRollups(db) };
    for (let n = 0; n < 20; n++) {
      const { from, to } = someRange();
      await summary(store, { from: instantOfMicros(from), to: instantOfMicros(to) });
      const minute = { from: instantOfMicros(from), to: instantOfMicros(from + 60_000_000n) };
      await answer(store, gapsIn(minute, 1 + n / 1e6)); // a caller's choice creates no new prepared statement
    }
    const counted = statement<{ count: number }>('select count(*)::int as count from pg_prepared_statements');
    const [kept] = await db.query(counted);
    expect(kept?.count).toBeLessThan(8);
  });

  it('work for a role that can only read', async () => {
    const owner = await connect(test.url ?? '');
    const role = `reader_${process.pid}`;
    const { url } = await addRole(test.url ?? '', role);
    await owner.query('revoke execute on all functions in schema public from public');
    await grantReader(runOnClient(owner), role, DEFAULT_JOURNAL);
    await owner.end();
    const db = open(url);
    const rollups = createRollups(db);
    expect(await rollups.inUse()).toBe(true);
    await same(day, 'as the reader', { db, rollups });
    for (const other of others) await other({ interval: day, bucket: 3600, store: { db, rollups } });
  });

  it.each([
    ['a role that may not read them', undefined, /^this role may not use audio_data_totals, .*READER_ROLE$/],
    ['a missing rollup', 'audio_data_totals', /no audio_data_totals/],
  ])('are bypassed with %s, which is logged once', async (_, missing, reason) => {
    const { url, quoted } = await addRole(test.url ?? '', `stranger_${process.pid}`);
    await test.sql(
      `grant select on audio_data, audio_data_history, audio_data_periods, audio_data_exclusions to ${quoted};
        grant execute on function audio_data_history_days(timestamptz, timestamptz) to ${quoted}`,
    );
    if (missing) await test.sql(`alter table ${missing} rename to other`);
    const warnings: object[] = [];
    const db = open(missing ? (test.url ?? '') : url);
    const rollups = createRollups(db, { warn: (fields) => warnings.push(fields) });
    for (let n = 0; n < 2; n++) await same(day, 'from the points', { db, rollups });
    expect(warnings).toEqual([{ reason: expect.stringMatching(reason) }]);
    if (missing) await test.sql(`alter table other rename to ${missing}`);
  });

  it('record no changes at times that no query can reach', async () => {
    await refreshRollups(test.sql, 100_000);
    await test.sql(`insert into audio_data values ('294276-12-31Z', -1, 440, false), ('infinity', -1, 440, false),
      ('-infinity', -1, 440, false), ('4714-11-24Z BC', -1, 440, false)`);
    const [row] = await test.sql(
      `select count(*)::int as count from audio_data_notes where kind = 'changed'`,
    );
    expect(row.count).toBe(0);
  });
});

describeServer('timescale', 'rollups', (engine) => {
  const { test, random, compareBeside, compare, same, sameRefreshed } = arranged(engine);

  it('equal the points while others change them, move chunks and refresh, on a replica too', async () => {
    const url = new URL(test.url ?? '');
    const replica = await startCluster(inject('postgresBin') ?? '', timescaleSettings, url.href);
    closers.push(() => replica.stop());
    const own = Object.assign(new URL(replica.url), { pathname: url.pathname });
    const db = open(own.href, { queryTimeoutMs: 20_000, exportTimeoutMs: 20_000 });
    const { change } = changes(random, FEW);
    const clients = [await connect(url.href), await connect(url.href)];
    const changing = clients.map((client) => () => change(client));
    await compareBeside(6, changing);
    const rollups = createRollups(db);
    expect(await rollups.inUse()).toBe(true);
    await compareBeside(4, changing, { db, rollups });
    await Promise.all(clients.map((client) => client.end()));
    await refreshRollups(test.sql, 100_000);
    await compare(6);
  });

  const day = { from: '2026-02-04T00:00:00.000000Z', to: '2026-02-06T00:00:00.000000Z' };
  it.each([
    [
      'a dropped chunk',
      `select drop_chunks('audio_data', older_than => '2026-02-05Z'::timestamptz)`,
      'select',
    ],
    [
      'a chunk that is detached, and attached again',
      `create temporary table kept as select c::text as name from show_chunks('audio_data', newer_than => '2026-02-05Z'::timestamptz, older_than => '2026-02-06Z'::timestamptz) c;
       select decompress_chunk(name::regclass, true) from kept;
       do $$ declare chunk text := (select name from kept); begin call detach_chunk(chunk::regclass); end $$`,
      `do $$ declare chunk text := (select name from kept); begin
         call attach_chunk('audio_data', chunk::regclass, slices => '{"time": ["2026-02-05 00:00:00+00", "2026-02-06 00:00:00+00"]}'::jsonb);
       end $$`,
    ],
  ])('stay exact without %s', async (_, spoil, restore) => {
    const owner = await connect(test.url ?? '');
    const { point_count } = await summary(test, day);
    await owner.query(spoil);
    expect((await summary(test, day)).point_count).toBeLessThan(point_count);
    await same(day, 'at once');
    await sameRefreshed(day, 'counted without');
    await owner.query(restore);
    await same(day, 'restored');
    await sameRefreshed(day, 'counted again');
    await owner.end();
  });

  it.each([
    'begin isolation level repeatable read',
    'begin isolation level serializable',
    'set timescaledb.enable_columnarscan = off',
    'set timescaledb.disable_load = on',
  ])('are not used after %s, which may hide points', async (before) => {
    const client = await connect(test.url ?? '');
    await client.query(before);
    await expect(client.query('select audio_data_refresh(1)')).rejects.toThrow(
      /'read committed'.*TimescaleDB/,
    );
    await client.end();
  });

  it('are recounted from a chunk that was changed while detached', async () => {
    await test.sql(`do $$ declare chunk text := (select c from show_chunks('audio_data',
      newer_than => '2026-02-05Z'::timestamptz, older_than => '2026-02-06Z'::timestamptz) c); begin
      call detach_chunk(chunk::regclass);
      execute format('update %s set rms_db = -1', chunk);
      call attach_chunk('audio_data', chunk::regclass, slices => '{"time": ["2026-02-05 00:00:00+00", "2026-02-06 00:00:00+00"]}'::jsonb);
    end $$`);
    await same(day, 'changed');
    await sameRefreshed(day, 'counted again');
    expect((await summary(test, day)).max_db).toBe(-1);
  });

  it('lose no points that an update takes out of the columnstore while a refresh starts', async () => {
    const [owner, updater, locker] = [
      await connect(test.url ?? ''),
      await connect(test.url ?? ''),
      await connect(test.url ?? ''),
    ];
    await owner.query(`
      insert into audio_data select '2026-03-01Z'::timestamptz + n * interval '1 min', -20, 440, false
      from generate_series(0, 1439) n`);
    const { rows } = await owner.query(
      `select compress_chunk(c)::text as name from show_chunks('audio_data', '2029-01-01Z'::timestamptz, '2026-03-01Z'::timestamptz) c`,
    );
    await locker.query(`begin; lock table ${rows[0].name} in access exclusive mode`); // delays its planning half way
    const refresh = owner.query('select audio_data_refresh(100000)');
    const waiting = () =>
      test.sql(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
    await expect.poll(waiting).toHaveLength(1);
    const update = updater.query(`update audio_data set rms_db = -30 where time = '2026-03-01 12:00Z'`);
    await expect.poll(waiting).toHaveLength(2);
    await locker.query('commit');
    await Promise.all([refresh, update]);
    const hours = { from: '2026-03-01T00:00:00.000000Z', to: '2026-03-02T00:00:00.000000Z' };
    await same(hours, 'updated');
    await sameRefreshed(hours, 'counted');
    await Promise.all([owner.end(), updater.end(), locker.end()]);
  });

  it('are recounted after a session in the replica role deletes points', async () => {
    const replica = await connect(test.url ?? '');
    await replica.query('set session_replication_role = replica');
    await replica.query(
      `delete from audio_data where time >= '2026-02-08T12:00Z' and time < '2026-02-08T13:00Z'`,
    );
    await replica.end();
    const after = { from: '2026-02-07T00:00:00.000000Z', to: '2026-02-10T00:00:00.000000Z' };
    await same(after, 'deleted');
    await refreshRollups(test.sql, 100_000);
    await compare(4);
  });
});
