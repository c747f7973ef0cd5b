// How long points are kept.
import pino from 'pino';
import { beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { readConfig } from '../../src/cli/config.ts';
import { openDatabase } from '../../src/cli/open-database.ts';
import { storeInfo } from '../../src/operations/service/query.ts';
import { summary } from '../../src/operations/stats/summary/query.ts';
import { removeOldPoints, setRawRetention, warnOfOldPoints } from '../../src/rollups/raw-retention.ts';
import { refreshRollups, startRefreshing } from '../../src/rollups/refresh-rollups.ts';
import { andOnCitus, connect, describeOnWire, describeServer, type Engine, openForAll } from '../engines.ts';
import { noRollups } from '../no-rollups.ts';
import { changes, FEW, pointsIn } from '../operations/changing-points.ts';
import { comparisons } from '../operations/comparisons.ts';
import { dataFolder } from '../process.ts';
import { seeded } from '../seeded.ts';

const DAY_MS = 86_400_000;
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const at = (days: number) => new Date(today - days * DAY_MS).toISOString().replace('Z', '000Z');
const ALL = { from: at(400), to: at(-2) };

function retention(engine: Engine) {
  const test = openForAll(() => engine.open());
  const { raw, expectSame } = comparisons(test);
  const logged: string[] = [];
  const log = {
    info: (_: object, message: string) => logged.push(`info ${message}`),
    warn: (_: object, message: string) => logged.push(`warn ${message}`),
  };
  const set = (wanted?: string) => setRawRetention(test.sql, wanted, log);
  const keptFor = async () => (await storeInfo(test)).raw_retention;
  const forget = () => test.sql('update audio_data_refreshes set raw_retention = null');
  const count = async (what: string) =>
    (await test.sql(`select count(*)::int as count from ${what}`))[0].count;
  beforeEach(async () => {
    logged.length = 0;
    await forget();
    await test.sql('update audio_data_refreshes set sparse_below = 1'); // so that every day becomes history
    await test.sql('delete from audio_data; delete from audio_data_history');
  });

  it('is 35 days for a database without points', async () => {
    await set();
    expect(await keptFor()).toBe('35 days');
    await test.sql(`insert into audio_data (time) values ('${at(100)}')`);
    await set();
    expect([await keptFor(), logged]).toEqual(['35 days', []]);
  });

  it('is unlimited for a database with points until it is set', async () => {
    await test.sql(`insert into audio_data (time) values ('${at(20)}')`);
    await set();
    expect([await keptFor(), logged]).toEqual([null, []]);
    await test.sql(`insert into audio_data (time) values ('${at(100)}')`);
    await set();
    expect(logged).toEqual([
      expect.stringMatching(/^warn audio_data holds points older than 35 days.*RAW_RETENTION/),
    ]);
    expect(await removeOldPoints(test.sql, 0)).toEqual({ steps: 0, isLate: false });
    await set('off');
    await set();
    expect([await keptFor(), logged.length]).toEqual([null, 1]);
    expect(await removeOldPoints(test.sql, 0)).toEqual({ steps: 0, isLate: false });
    await set('2 months');
    expect([await keptFor(), logged.length]).toEqual(['2 mons', 1]);
  });

  it.each([
    ['30 days', /RAW_RETENTION is '30 days', but must be more than 30 days/],
    ['999999999999 years', /RAW_RETENTION is '999999999999 years', but must be an interval/],
    ['a while', /RAW_RETENTION is 'a while', but must be an interval such as '35 days', or 'off'/],
  ])('refuses %s, and stays unchanged', async (wanted, message) => {
    await set('40 days');
    await expect(set(wanted)).rejects.toThrow(message);
    expect(await keptFor()).toBe('40 days');
  });

  it('is no bad interval if the database fails', async () => {
    const fault = new Error('The database cannot be reached');
    await expect(setRawRetention(() => Promise.reject(fault), '40 days', log)).rejects.toBe(fault);
  });

  it('removes whole days with their rollups, in steps, and answers stay exact', async () => {
    const perDay = 12_343; // in few hours, because rollups cost per hour
    await test.sql(`
      insert into audio_data (time, rms_db, frequency_hz)
      select '${at(37)}'::timestamptz + n / ${perDay} * interval '1 day' + n % ${perDay} * interval '0.7 s', -10 - n % 30, 100 + n % 50
      from generate_series(0, 40000) n`);
    await refreshRollups(test.sql, 100_000);
    expect(await count('audio_data_histograms where seconds = 86400')).toBe(4);
    await test.sql(`
      with minutes as (select distinct date_trunc('minute', time) from audio_data)
      insert into audio_data_overload select *, 1 from minutes`);
    await set('35 days');
    const counts: number[] = [];
    for (;;) {
      const { point_count, ...figures } = await summary(test, ALL);
      expectSame({ point_count, ...figures }, await summary(raw(test), ALL), String(point_count));
      expect(point_count).toBe(40_001); // history counts what was removed
      if (counts.push(await count('audio_data')) > 20) break;
      const [{ removed }] = await test.sql(
        'select audio_data_remove_old(0) as removed from audio_data_refreshes',
      );
      if (!removed) break;
    }
    expect(counts.at(0)).toBe(40_001);
    expect(counts.at(-1)).toBe(40_001 - 2 * perDay); // the day that is 35 days ago is kept
    expect(counts.length).toBeGreaterThan(5); // at most 10,000 per step
    expect(new Set(counts.map((n, index) => (counts[index - 1] ?? n) - n <= 10_000))).toEqual(
      new Set([true]),
    );
    const before = `where bucket < '${at(35)}'`;
    for (const rollup of [
      'audio_data_totals',
      'audio_data_histograms',
      'audio_data_bands',
      'audio_data_presence',
      'audio_data_notes',
    ])
      expect(await count(`${rollup} ${before}`), rollup).toBe(0);
    expect(await count('audio_data_totals where seconds = 60')).toBeGreaterThan(0);
    expect(await refreshRollups(test.sql, 100_000)).toBe(0); // nothing is marked to be counted again
  });

  it('accepts older points, and removes them at the next step', async () => {
    await set('35 days');
    await test.sql(`insert into audio_data (time, rms_db) values ('${at(1)}', -20)`);
    await refreshRollups(test.sql, 100_000);
    await test.sql(`insert into audio_data (time, rms_db) values ('${at(50)}', -20), ('${at(80)}', -20)`);
    expect((await summary(test, ALL)).point_count).toBe(3);
    await refreshRollups(test.sql, 100_000);
    expect((await summary(test, ALL)).point_count).toBe(3);
    await warnOfOldPoints(test.sql, log);
    expect(logged.splice(0)).toEqual([
      expect.stringMatching(/^warn Points older than 35 days will soon be removed/),
    ]);
    const { stop } = startRefreshing(test.db, log);
    await expect.poll(() => logged).toEqual(['info Removed points older than RAW_RETENTION']);
    await stop();
    expect(await count('audio_data')).toBe(1);
    expect((await summary(test, ALL)).point_count).toBe(3);
  });

  it('removes nothing faster than time passes, because the clock may be wrong', async () => {
    await set('35 days');
    await test.sql(`insert into audio_data (time, rms_db) values ('${at(1)}', -20), ('${at(50)}', -20)`);
    await test.sql(
      `update audio_data_refreshes set removed_until = now() - interval '38 days', waited = '0'`,
    );
    const after = async (seconds: number, ran = 60) => {
      await test.sql(`update audio_data_refreshes set waited_at = now() - interval '${seconds} seconds'`);
      return removeOldPoints(test.sql, ran);
    };
    expect(await after(60)).toEqual({ steps: 0, isLate: true });
    await test.sql(`update audio_data_refreshes set waited = interval '23 hours 58 minutes 30 seconds'`);
    expect(await after(60)).toEqual({ steps: 0, isLate: true });
    for (const ran of [1e9, -1e9]) expect((await after(0, ran)).isLate).toBe(true); // neither speeds it up nor stops it
    expect(await count('audio_data')).toBe(2);
    expect((await after(60)).isLate).toBe(false); // it has run for a day
    expect(await count('audio_data')).toBe(1);
    await test.sql(`insert into audio_data (time, rms_db) values ('${at(50)}', -20)`);
    await test.sql(
      `update audio_data_refreshes set removed_until = now() - interval '38 days', waited = '0'`,
    );
    const { stop } = startRefreshing(test.db, log);
    await expect.poll(() => logged.filter((line) => line.includes('two days'))).toHaveLength(1);
    await stop();
    await set('36 days'); // a command, which takes effect at once
    expect((await removeOldPoints(test.sql, 0)).isLate).toBe(false);
    expect(await count('audio_data')).toBe(1);
  });

  it('counts from the clock, not from a point dated years ahead', async () => {
    await set('35 days');
    await test.sql(`insert into audio_data (time, rms_db)
      values ('${at(34)}', -20), ('${at(1)}', -20), ('${at(-3000)}', -20)`);
    await refreshRollups(test.sql, 100_000);
    expect(await removeOldPoints(test.sql, 60)).toEqual({ steps: 0, isLate: false });
    expect(await count('audio_data')).toBe(3);
  });

  it('ends a round after a minute, even if points keep arriving for a day of history', async () => {
    await set('35 days');
    const arrive = () => test.sql(`insert into audio_data (time, rms_db) values ('${at(50)}', -20)`);
    let ms = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => ms);
    const found = await removeOldPoints(async (text, values) => {
      ms += 25_000;
      await arrive();
      return test.sql(text, values);
    }, 0);
    clock.mockRestore();
    expect(found).toEqual({ steps: 3, isLate: false });
    expect(await count('audio_data')).toBe(0);
  });

  it('removes old points even if rollups are not in use', async () => {
    await set('35 days');
    await test.sql(`insert into audio_data (time, rms_db) values ('${at(1)}', -20), ('${at(50)}', -20)`);
    await test.sql('alter table audio_data disable trigger audio_data_note_delete');
    // in that zone 35 days are 21, because of two clock changes
    const zone = 'AAA-167BBB167,J300/0,J320/0';
    await test.sql(`insert into audio_data (time, rms_db) values ('${at(33)}', -20)`);
    for (let n = 0; n < 2; n++)
      await test.sql(
        `select audio_data_remove_old(0) from audio_data_refreshes, set_config('timezone', '${zone}', true)`,
      );
    expect(await count('audio_data')).toBe(2);
    await test.sql(`delete from audio_data where time = '${at(33)}'`);
    await test.sql('alter table audio_data enable always trigger audio_data_note_delete');
    expect(await count('audio_data')).toBe(1);
  });
}

andOnCitus(describeOnWire)('RAW_RETENTION', retention);

describeServer('timescale', 'RAW_RETENTION', (engine) => {
  const test = openForAll(() => engine.open());

  it('drops whole chunks with their rollups, and answers stay exact', async () => {
    const { raw, expectSame } = comparisons(test);
    await test.sql(`insert into audio_data (time, rms_db) select '${at(38)}'::timestamptz + n / 10800 * interval '1 day'
      + n % 10800 * interval '0.1 s', -10 - n % 30 from generate_series(0, 4 * 10800 - 1) n`);
    await refreshRollups(test.sql, 100_000);
    await setRawRetention(test.sql, '35 days', { info() {}, warn: () => expect.unreachable() });
    expect(await removeOldPoints(test.sql, 0)).toEqual({ steps: 3, isLate: false });
    const left = await summary(test, ALL);
    const [{ points }] = await test.sql('select count(*)::int as points from audio_data');
    expect([points, left.point_count]).toEqual([10_800, 43_200]); // more than one step removes from a table without chunks
    expectSame(left, await summary(raw(test), ALL), 'removed');
    const [{ first }] = await test.sql('select min(bucket) as first from audio_data_totals');
    expect(first.toISOString()).toBe(new Date(today - 35 * DAY_MS).toISOString());
    expect(await refreshRollups(test.sql, 100_000)).toBe(0);
  });
});

it('is set when the embedded database opens; a wrong one is refused', async () => {
  const DATA_DIR = dataFolder();
  const log = pino({ level: 'silent' });
  const opened = async (RAW_RETENTION: string) => {
    const db = await openDatabase(readConfig({ DATA_DIR, RAW_RETENTION }), log);
    const { raw_retention } = await storeInfo({ db, rollups: noRollups() });
    await db.close();
    return raw_retention;
  };
  await expect(opened('10 days')).rejects.toThrow(/RAW_RETENTION.*'10 days'.*30 days/);
  expect(await opened('40 days')).toBe('40 days');
});

describeServer('postgres', 'RAW_RETENTION', (engine) => {
  const test = openForAll(() => engine.open());
  const random = seeded(1);
  const { compareBeside, compare } = comparisons(test, random, true);
  const { plainChange } = changes(random, FEW);
  beforeAll(async () => {
    await test.sql(pointsIn(FEW));
    await test.sql('update audio_data_refreshes set sparse_below = 1');
    await refreshRollups(test.sql, 100_000);
  });

  it('keeps answers exact while points that are too old arrive, change and are counted', async () => {
    await test.sql(`update audio_data_refreshes
      set raw_retention = (now() - '2026-02-07Z')::text, removed_until = '2026-02-07Z'`);
    const others = [await connect(test.url ?? ''), await connect(test.url ?? '')] as const;
    await compareBeside(6, [
      () => others[0].query(`begin; ${plainChange()}; select pg_sleep(0.02); ${plainChange()}; commit`),
      () => others[1].query('select audio_data_remove_old(0)'),
      () => test.sql('select audio_data_refresh(100000)'),
    ]);
    for (const other of others) await other.end();
    await removeOldPoints(test.sql, 0);
    await refreshRollups(test.sql, 100_000);
    await compare(6);
    const [{ first }] = await test.sql('select min(time)::text as first from audio_data');
    expect(first >= '2026-02-07').toBe(true);
  });
});
