// Rollups that are tables: on PostgreSQL and in the embedded database.
import { beforeAll, describe, expect, it } from 'vitest';
import { instantOfMicros } from '../../../src/contract/instant.ts';
import { noiseEvents } from '../../../src/queries/events/noise-events.ts';
import { SEARCH_LIMITS, TooManyPoints } from '../../../src/queries/events/search-runs-back.ts';
import { loudPoints } from '../../../src/queries/points/loud-points.ts';
import { summary } from '../../../src/queries/statistics/summary.ts';
import { refreshRollups, startRefreshing } from '../../../src/store/refresh-rollups.ts';
import { connect, describeServer, type Engine, engines, openForAll } from '../../engines.ts';
import { needs } from '../../needs.ts';
import { seeded } from '../../seeded.ts';
import { changes, DAYS, FEW, pointsIn, START } from '../changing-points.ts';
import { comparisons } from '../comparisons.ts';

const fail = () => Promise.reject(new Error('on purpose'));

function questions(engine: Engine) {
  const test = openForAll(() => engine.open());
  const random = seeded(1);
  const { raw, expectSame, compareAtOnce, compare } = comparisons(test, random);
  const { plainChange, plainKinds } = changes(random, FEW);
  const interval = { from: '2026-02-01T00:30:00.000000Z', to: '2026-02-11T00:30:00.000000Z' };
  beforeAll(async () => {
    await test.sql(pointsIn(FEW));
    await refreshRollups(test.sql, 48);
  });
  const notes = async () => {
    const [row] = await test.sql('select count(*)::int as count from audio_data_changes where not is_stored');
    return row.count;
  };

  it('equal the points, also where some have changed since', async () => {
    expect(await notes()).toBe(0);
    expect(await test.rollups.inUse()).toBe(true);
    await compare(6);
    for (let n = 0; n < plainKinds; n++) await test.sql(plainChange());
    expect(await notes()).toBeGreaterThan(0);
    for (let n = 0; n < 3; n++) await compareAtOnce();
    await compare(6);
  });

  it('are stored by the service beside all else, which says once that it cannot', async () => {
    const warnings: string[] = [];
    const log = { info() {}, warn: (_: object, message: string) => void warnings.push(message) };
    const { stop } = startRefreshing(test.db, log);
    await expect.poll(notes, { timeout: 60_000 }).toBe(0);
    await stop();
    const broken = { ...test.db, query: fail, run: fail };
    const second = startRefreshing(broken, log);
    await expect
      .poll(() => warnings)
      .toEqual(['The rollups cannot be refreshed: statistics are slower, and old points stay']);
    await second.stop();
  });

  it('are what is read', async () => {
    await refreshRollups(test.sql, 48);
    await test.sql(`update audio_data_histogram_1d set silence_count = silence_count + 1000, counted_at = counted_at + 1
      where bucket = '2026-02-04Z'`);
    const { silence_percent } = await summary(test, interval);
    expect(silence_percent).toBeGreaterThan((await summary(raw(test), interval)).silence_percent ?? 100);
    await test.sql(
      `update audio_data set is_silence = is_silence where time >= '2026-02-04T03:00Z' and time < '2026-02-04T03:02Z'`,
    );
    expectSame(await summary(test, interval), await summary(raw(test), interval), 'noted');
    await refreshRollups(test.sql, 48);
    expectSame(await summary(test, interval), await summary(raw(test), interval), 'stored anew');
  });

  it('are where loud points and events are looked for', async () => {
    await test.sql(`insert into audio_data values ('2026-02-04T03:01:02Z', 0, 440, false)`);
    await refreshRollups(test.sql, 48);
    const now = '2026-03-01T00:00:00.000000Z';
    const criteria = { threshold: -0.0001, above_background: null, hysteresis: 0, hold_seconds: 1 };
    const question = {
      criteria: { ...criteria, min_duration_seconds: 0, spacing_seconds: 43 },
      limit: 9,
      now,
    };
    const found = async () => [
      (await loudPoints(test, interval, -0.0001, 9, now)).points.count,
      (await noiseEvents(test, { ...question, interval })).events.length,
    ];
    expect(await found()).toEqual([1, 1]);
    await test.sql(`update audio_data_total_1m set max_db = -0.5 where bucket = '2026-02-04T03:01Z'`);
    expect(await found()).toEqual([0, 0]);
    await test.sql(`insert into audio_data values ('2026-02-04T03:01:03Z', -50, 440, false)`); // notes the minute
    expect(await found()).toEqual([1, 1]);
    await expect(
      noiseEvents(test, { ...question, interval }, { ...SEARCH_LIMITS, mostRead: 0 }),
    ).rejects.toThrow(TooManyPoints);
    await refreshRollups(test.sql, 48);
    expect(await found()).toEqual([1, 1]);
  });

  it('are not read while a trigger is off, and all made anew after it', async () => {
    // fewer points: all of them are stored anew
    await test.sql(`delete from audio_data where time < '2026-02-04Z' or time >= '2026-02-07Z'`);
    await refreshRollups(test.sql, 48);
    await test.sql('alter table audio_data disable trigger audio_data_note_update');
    await test.sql(
      `update audio_data set rms_db = -0.25 where time >= '2026-02-05Z' and time < '2026-02-05T06:00Z'`,
    );
    expectSame(await summary(test, interval), await summary(raw(test), interval), 'while it is off');
    expect(await refreshRollups(test.sql, 48)).toBe(0);
    await test.sql('alter table audio_data enable always trigger audio_data_note_update');
    expectSame(await summary(test, interval), await summary(raw(test), interval), 'when it is on again');
    expect(await refreshRollups(test.sql, 48)).toBeGreaterThan(1);
    await compare(4);
  });

  it('have nothing after TRUNCATE', async () => {
    await test.sql('truncate audio_data');
    expect((await summary(test, interval)).point_count).toBe(0);
    await test.sql(`insert into audio_data values ('2026-02-07T01:02:03Z', -20, 440, false)`);
    expect((await summary(test, interval)).point_count).toBe(1);
    await refreshRollups(test.sql, 48);
    await compare(4);
  });
}

describe.each(engines.filter(({ name }) => name !== 'TimescaleDB'))(
  'rollups that are tables, on $name',
  (engine) => {
    describe('', needs(engine.name, engine.available), () => questions(engine));
  },
);

describeServer('postgres', 'rollups that are tables', (engine) => {
  const test = openForAll(() => engine.open());
  const random = seeded(1);
  const { compareBeside, compare, expectSame, raw } = comparisons(test, random);
  beforeAll(async () => {
    await test.sql(pointsIn(FEW));
    await refreshRollups(test.sql, 48);
  });

  it('equal the points while others change them and refresh', async () => {
    const { plainChange } = changes(random, FEW);
    const [one, two] = [await connect(test.url ?? ''), await connect(test.url ?? '')];
    const { length } = await compareBeside(6, [
      () => one.query(plainChange()),
      () => two.query(`begin; ${plainChange()}; select pg_sleep(0.02); ${plainChange()}; commit`),
      () => test.sql('select audio_data_refresh(48)'),
    ]);
    expect(length).toBeGreaterThan(5);
    await Promise.all([one.end(), two.end()]);
    await refreshRollups(test.sql, 48);
    await compare(6);
  });

  it('miss nothing of a transaction that commits while they are stored', async () => {
    const writer = await connect(test.url ?? '');
    await writer.query(`begin; insert into audio_data values ('2026-02-03T12:34:56Z', -1, 999, false)`);
    await test.sql(`insert into audio_data values ('2026-02-03T12:34:57Z', -1, 999, false)`);
    await refreshRollups(test.sql, 48);
    await writer.query('commit');
    await writer.end();
    const all = {
      from: instantOfMicros(BigInt(START) * 1000n),
      to: instantOfMicros(BigInt(START + DAYS * 86_400_000) * 1000n),
    };
    expectSame(await summary(test, all), await summary(raw(test), all), 'before the next refresh');
    await refreshRollups(test.sql, 48);
    expectSame(await summary(test, all), await summary(raw(test), all), 'after it');
  });

  it('hold after a TRUNCATE that did not see what was stored meanwhile', async () => {
    const other = await connect(test.url ?? '');
    await other.query('begin isolation level repeatable read; select count(*) from audio_data');
    await test.sql(`insert into audio_data values ('2026-02-20T12:00:00Z', -1, 999, false)`);
    await refreshRollups(test.sql, 48);
    await other.query('truncate audio_data; commit');
    await other.end();
    await compare(4);
    // two days are enough for what follows, which stores all of them anew many times
    await test.sql(pointsIn(FEW));
    await test.sql(`delete from audio_data where time < '2026-02-04Z' or time >= '2026-02-06Z'`);
    await refreshRollups(test.sql, 48);
  });

  const day = { from: '2026-02-04T00:00:00.000000Z', to: '2026-02-06T00:00:00.000000Z' };
  it.each([
    ['a table that inherits', 'create table kid () inherits (audio_data)', 'drop table kid', 'kid'],
    [
      'a new file',
      'alter table audio_data alter frequency_hz type integer using frequency_hz + 1',
      'select',
      'audio_data',
    ],
    ['no log', 'alter table audio_data set unlogged', 'alter table audio_data set logged', 'audio_data'],
    [
      'policies of rows',
      'alter table audio_data enable row level security',
      'alter table audio_data disable row level security',
      'audio_data',
    ],
    [
      'triggers as ENABLE leaves them',
      'alter table audio_data disable trigger all; alter table audio_data enable trigger all',
      `alter table audio_data enable always trigger audio_data_note_insert;
       alter table audio_data enable always trigger audio_data_note_update;
       alter table audio_data enable always trigger audio_data_note_delete`,
      'audio_data',
    ],
  ])('are not trusted where the points have %s', async (_, spoil, mend, table) => {
    await test.sql(spoil);
    await test.sql(`insert into ${table} values ('2026-02-04T12:34:56Z', -0.5, 999, false)`);
    expectSame(await summary(test, day), await summary(raw(test), day), 'spoilt');
    await refreshRollups(test.sql, 48);
    expectSame(await summary(test, day), await summary(raw(test), day), 'after a refresh');
    await test.sql(mend);
    expectSame(await summary(test, day), await summary(raw(test), day), 'mended');
    await refreshRollups(test.sql, 48);
    expectSame(await summary(test, day), await summary(raw(test), day), 'stored anew');
  });

  it('take no notes from a table of somebody else', async () => {
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

  it('note no times that nothing can ask for', async () => {
    await test.sql(`insert into audio_data values ('294276-12-31Z', -1, 440, false), ('infinity', -1, 440, false),
      ('-infinity', -1, 440, false), ('4714-11-24Z BC', -1, 440, false)`);
    const [row] = await test.sql('select count(*)::int as count from audio_data_changes where not is_stored');
    expect(row.count).toBe(0);
  });
});
