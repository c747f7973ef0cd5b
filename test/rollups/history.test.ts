// Minutes outlive their points: audio_data_history (drizzle/0011).
import { beforeEach, expect, it } from 'vitest';
import { migrate } from '../../src/cli/migrate.ts';
import { quality } from '../../src/operations/stats/quality/query.ts';
import { series } from '../../src/operations/stats/series/query.ts';
import { summary } from '../../src/operations/stats/summary/query.ts';
import {
  type Mode,
  pointsWithin,
  removePoints,
  storePoints,
} from '../../src/recorder/storing/point-store.ts';
import { removeOldPoints } from '../../src/rollups/raw-retention.ts';
import { refreshRollups } from '../../src/rollups/refresh-rollups.ts';
import { connect, describeEachEngine, describeEachServer, describeServer, openForAll } from '../engines.ts';
import { FEW, pointsIn } from '../operations/changing-points.ts';
import { comparisons } from '../operations/comparisons.ts';
import { seeded } from '../seeded.ts';

const DAY_MS = 86_400_000;
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const at = (days: number) => new Date(today - days * DAY_MS).toISOString().replace('Z', '000Z');
const NOW = at(0);
/** Rows of points with nulls, and levels at both ends of the range. */
const points = (days: number, count: number, step: string) => `
  insert into audio_data
  select '${at(days)}'::timestamptz + n * interval '${step}', case when n % 17 > 0 then greatest(-50, -n * 7 % 530 / 10.0) end,
    case when n % 13 > 0 then 100 + n * 3 % 40 end, n % 7 = 0
  from generate_series(0, ${count - 1}) n`;

/** Selects the sums of each minute of a table of points, and of history. */
const minutesFrom = (table: string, history = '') => `
  select minute::text, sum(n)::int as n, sum(levels)::int as levels, sum(level_sum)::text as level_sum, min(low) as low,
    max(high) as high, sum(silent)::int as silent, sum(floors)::int as floors, sum(ceilings)::int as ceilings,
    round(sum(power)::numeric, 9) as power
  from (
    select date_trunc('minute', time) as minute, 1 as n, (rms_db is not null)::int as levels,
      (rms_db::float8 * 4294967296)::bigint as level_sum, rms_db as low, rms_db as high, is_silence::int as silent,
      coalesce(((rms_db::float8 * 10)::int = -500)::int, 0) as floors, coalesce(((rms_db::float8 * 10)::int = 0)::int, 0) as ceilings,
      power(10::float8, rms_db::float8 / 10) as power
    from ${table} ${history}
  ) as parts group by minute order by minute`;
const ALL_MINUTES = minutesFrom(
  'audio_data',
  `union all select bucket, point_count, level_count, level_sum, min_db, max_db, silence_count, under_range, clipped, power_sum
   from audio_data_history where minutes = 1`,
);

describeEachEngine('History', (engine) => {
  const test = openForAll(() => engine.open());
  const count = async (what: string) =>
    (await test.sql(`select count(*)::int as count from ${what}`))[0].count;
  const retain = (raw: string, history = '10 years') =>
    test.sql(`update audio_data_refreshes set raw_retention = '${raw}', history_retention = '${history}', sparse_below = 100,
      removed_until = now() - nullif('${raw}', 'off')::interval, history_removed_until = now() - nullif('${history}', 'off')::interval,
      waited = '0', history_waited = '0'`);
  const remove = () => removeOldPoints(test.sql, 0);
  const refresh = () => refreshRollups(test.sql, 100_000);
  beforeEach(async () => {
    await test.sql('truncate audio_data');
    await test.sql('truncate audio_data_history');
    await retain('off');
    await refresh();
  });

  it('has what statistics of whole minutes need', async () => {
    await test.sql(points(40, 3000, '37.5 s')); // 31 hours
    await test.sql(points(38, 30, '1 hour')); // sparse
    await test.sql(points(36, 5000, '10 s'));
    await test.sql(points(2, 5000, '10 s'));
    await refresh();
    const whole = { from: at(41), to: at(1) };
    const cut = {
      from: `${at(40).slice(0, 10)}T05:17:00.000000Z`,
      to: `${at(36).slice(0, 10)}T11:03:00.000000Z`,
    };
    const read = async () => ({
      whole: await summary(test, whole),
      cut: await summary(test, cut),
      hours: await series(test, whole, 3600, 0),
      minutes: await series(test, cut, 120, 0),
      quality: await quality(test, whole, NOW, 120),
    });
    const before = await read();
    await retain('35 days');
    expect((await remove()).isLate).toBe(false);
    expect(await count('audio_data')).toBeLessThan(13_030 - 5000);
    expect(await count(`audio_data where time < '${at(36)}' and time >= '${at(38)}'`)).toBe(30);
    expect(await count('audio_data_history where minutes = 1440')).toBe(3);
    const after = await read();
    const near = (level: unknown) => (typeof level === 'number' ? expect.closeTo(level, 9) : level);
    const known = ({ leq_db, leq_low_db, ...figures }: typeof before.whole) => ({
      ...figures,
      leq_db: near(leq_db),
      leq_low_db: near(leq_low_db),
      ...Object.fromEntries(
        ['l1_db', 'l5_db', 'l10_db', 'l50_db', 'l90_db', 'l95_db', 'l99_db'].map((name) => [name, null]),
      ),
      dominant_frequency_hz: null,
    });
    expect(after.whole).toEqual(known(before.whole));
    expect(after.cut).toEqual(known(before.cut));
    expect(after.hours.map(({ dominant_frequency_hz: _, ...bucket }) => bucket)).toEqual(
      before.hours.map(({ dominant_frequency_hz: _, ...bucket }) => ({
        ...bucket,
        leq_db: near(bucket.leq_db),
      })),
    );
    expect(after.minutes.map(({ dominant_frequency_hz: _, ...bucket }) => bucket)).toEqual(
      before.minutes.map(({ dominant_frequency_hz: _, ...bucket }) => ({
        ...bucket,
        leq_db: near(bucket.leq_db),
      })),
    );
    // a minute of history is measured from its start to its end
    const { gaps, gap_seconds, coverage_percent, ...rest } = before.quality;
    const whole_gaps = gaps.map(({ from, ...gap }) => [
      from < at(35) ? `${from.slice(0, 16)}` : from,
      gap.to,
    ]);
    expect(after.quality).toMatchObject(rest);
    expect(after.quality.gap_seconds).toBeCloseTo(gap_seconds, -3);
    expect(after.quality.coverage_percent).toBeCloseTo(coverage_percent ?? 0, 1);
    expect(after.quality.gaps).toHaveLength(whole_gaps.length);
  });

  const minutesOf = (table: string) => test.sql(minutesFrom(table));
  const stored = () => test.sql(ALL_MINUTES);
  const step = async () =>
    (await test.sql('select audio_data_remove_old(0) as removed from audio_data_refreshes'))[0].removed;

  it('counts late, changed and deleted points of a day that is half removed, once each', async () => {
    const both = async (text: (table: string) => string) => {
      await test.sql(text('audio_data'));
      await test.sql(text('witness'));
    };
    await test.sql(points(37, 30_000, '2.8 s'));
    await test.sql(points(36, 500, '100 s'));
    await test.sql('drop table if exists witness');
    await test.sql('create table witness as select * from audio_data');
    await refresh();
    await retain('35 days');
    expect(await step()).toBe(1);
    const [{ removed_to }] = await test.sql(
      `select (max(bucket) + interval '1 minute')::text as removed_to from audio_data_history where minutes = 1`,
    );
    const late = (n: number, offset: string) => (table: string) =>
      `insert into ${table} select '${removed_to}'::timestamptz + n * interval '${offset}', -n / 10.0, 200, n % 2 = 0 from generate_series(1, ${n}) n`;
    await both(late(40, '-31 s'));
    await both(late(30, '-33 hours')); // before all points
    await both(late(60, '7 s'));
    await both(
      (table) =>
        `update ${table} set rms_db = -1.5 where time > '${removed_to}' and extract(second from time at time zone 'UTC') < 5`,
    );
    await both(
      (table) =>
        `delete from ${table} where time > '${removed_to}' and extract(minute from time at time zone 'UTC') = 17`,
    );
    const window = { from: at(39), to: at(35) };
    const figures = async () => ({
      ...(await summary(test, window)),
      ...(await quality(test, window, NOW, 300)),
    });
    const witnessed = await minutesOf('witness');
    const { point_count, coverage_percent, gap_seconds } = await figures();
    if (engine.name !== 'TimescaleDB') expect(await stored()).toEqual(witnessed);
    for (let removed = 1; removed === 1; removed = await step()) {
      const now = await figures();
      expect(now.point_count).toBe(point_count);
      if (engine.name !== 'TimescaleDB') await refresh();
    }
    await refresh();
    await remove();
    expect(await stored()).toEqual(witnessed);
    expect(await count(`audio_data where time < '${at(35)}'`)).toBe(30); // a day of few points
    const after = await figures();
    expect(after.point_count).toBe(point_count);
    expect(after.coverage_percent).toBeCloseTo(coverage_percent ?? 0, 1);
    expect(after.gap_seconds).toBeCloseTo(gap_seconds, -3);
    await test.sql(points(37, 7, '1 s')); // a day of history
    const mixed = await quality(test, window, NOW, 300);
    expect(mixed.gaps).toEqual(after.gaps);
    await refresh();
    expect((await quality(test, window, NOW, 300)).gaps).toEqual(after.gaps);
    expect((await summary(test, window)).point_count).toBe(point_count + 7);
    await remove();
    expect(await count(`audio_data where time >= '${at(37)}' and time < '${at(35)}'`)).toBe(0);
    expect((await summary(test, window)).point_count).toBe(point_count + 7);
  });

  it('is in audio_data_1min, which is the same before and after', async () => {
    const minutes = () =>
      test.sql(`select bucket::text, point_count::int as n, level_count::int as levels, level_sum::text, min_db, max_db,
        round(power_sum::numeric, 9) as power, silence_count::int as silent from audio_data_1min order by bucket`);
    await test.sql(points(40, 3000, '10 s'));
    await test.sql(points(2, 3000, '10 s'));
    await refresh();
    if (engine.name === 'TimescaleDB')
      await test.sql("call refresh_continuous_aggregate('audio_data_1min', null, null)");
    const before = await minutes();
    expect(before.length).toBeGreaterThan(900);
    await retain('35 days');
    await remove();
    expect(await count('audio_data')).toBe(3000);
    expect(await minutes()).toEqual(before);
  });

  it('stays when points are deleted by SQL, dropped, truncated or all counted again', async () => {
    await test.sql(points(40, 3000, '10 s'));
    await test.sql(points(2, 3000, '10 s'));
    await retain('35 days');
    await refresh();
    await remove();
    const window = { from: at(41), to: at(0) };
    const { point_count } = await summary(test, window);
    expect(point_count).toBe(6000);
    const old =
      engine.name === 'TimescaleDB' ? [`select drop_chunks('audio_data', '${at(3)}'::timestamptz)`] : [];
    for (const removal of [`delete from audio_data where time < '${at(3)}'`, ...old]) {
      await test.sql(points(4, 100, '10 s'));
      await refresh();
      expect((await summary(test, window)).point_count).toBe(6100);
      await test.sql(removal);
      expect((await summary(test, window)).point_count).toBe(6000);
    }
    await test.sql('update audio_data_refreshes set noting = null');
    expect((await summary(test, window)).point_count).toBe(6000);
    await refresh();
    expect((await summary(test, window)).point_count).toBe(6000);
    await test.sql('truncate audio_data');
    expect((await summary(test, window)).point_count).toBe(3000);
    await refresh();
    expect((await summary(test, window)).point_count).toBe(3000);
  });

  it('and sparse days stay until HISTORY_RETENTION, never faster than time passes', async () => {
    await test.sql(points(80, 3000, '10 s'));
    await test.sql(points(70, 30, '10 s'));
    await test.sql(points(60, 3000, '10 s'));
    await test.sql(points(50, 30, '10 s'));
    await test.sql(points(2, 30, '10 s'));
    await refresh();
    await retain('35 days');
    await remove();
    const left = async () => [
      await count('audio_data'),
      await count('audio_data_history where minutes = 1440'),
    ];
    expect(await left()).toEqual([90, 2]);
    const window = { from: at(90), to: at(0) };
    await retain('35 days', '65 days');
    await test.sql(
      `update audio_data_refreshes set history_removed_until = now() - interval '70 days', waited_at = now()`,
    );
    expect(await remove()).toEqual({ steps: 0, isLate: true });
    expect(await left()).toEqual([90, 2]);
    await test.sql(
      `update audio_data_refreshes set history_waited = '23 hours 59 minutes 30 seconds', waited_at = now() - interval '1 minute'`,
    );
    expect((await removeOldPoints(test.sql, 60)).isLate).toBe(false);
    expect(await left()).toEqual([60, 1]);
    expect((await summary(test, window)).point_count).toBe(3060);
    await retain('off', '45 days'); // points are kept, history is not
    await remove();
    expect(await left()).toEqual([60, 0]);
    await retain('35 days', '45 days');
    await remove();
    expect(await left()).toEqual([30, 0]);
    expect((await summary(test, window)).point_count).toBe(30);
    expect(await count('audio_data_history')).toBe(0);
  });

  it('is seen by an import and a deletion, which replace and remove whole minutes', async () => {
    const day = at(40).slice(0, 10);
    const rows = (from: string, n: number) => {
      const start = Date.parse(`${day}T${from}Z`);
      return Array.from(
        { length: n },
        (_, at) => `${new Date(start + at * 2000).toISOString().replace('Z', '000Z')},-20,440,f\n`,
      );
    };
    const store = (mode: Mode, lines: string[], pointsAStep = 50_000) => {
      const [first = '', last = ''] = [lines[0], lines.at(-1)].map((line) => line?.split(',')[0]);
      const whole = { islands: [{ first, last }], isOrdered: true };
      return storePoints(
        test.db,
        (async function* () {
          yield lines.join('');
        })(),
        { mode, whole, pointsAStep, progress: () => {} },
      );
    };
    const window = { from: at(40), to: at(39) };
    const seen = async () => (await summary(test, window)).point_count;
    const file = rows('10:00:30', 600); // 20 minutes, which touch 21
    await store('new', file);
    await refresh();
    await retain('35 days');
    await remove();
    expect([await count('audio_data'), await seen()]).toEqual([0, 600]);
    await expect(store('new', file)).rejects.toThrow(
      expect.objectContaining({ found: { count: 0, minutes: 21 } }),
    );
    const error = await store('new', file).catch((error) => error);
    expect(error.advice('a.csv')).toMatch(
      /^a.csv was not stored: its time already has history of 21 minutes. --replace/,
    );
    await store('add', rows('10:00:30', 30));
    expect(await seen()).toBe(630);
    await remove();
    expect(await seen()).toBe(630);
    expect(await store('replace', file, 100)).toMatchObject({ minutes: 21 }); // in several steps
    expect([await count('audio_data'), await seen()]).toEqual([600, 600]);
    await remove();
    await refresh();
    await remove();
    expect([await count('audio_data'), await seen()]).toEqual([0, 600]);
    const interval = { from: `${day}T10:05:59.000000Z`, to: `${day}T10:07:00.000000Z` };
    expect(await removePoints(test.db, pointsWithin(interval))).toEqual({ count: 0, minutes: 2 });
    expect(await seen()).toBe(600 - 60);
    expect((await quality(test, window, NOW, 60)).gaps).toContainEqual({
      from: `${day}T10:05:00.000000Z`,
      to: `${day}T10:07:00.000000Z`,
      seconds: 120,
    });
    expect(
      (await test.sql('select sum(point_count)::int as n from audio_data_history where minutes = 1440'))[0].n,
    ).toBe(540);
  });

  it('is removed from answers by whole minutes of an exclusion', async () => {
    await test.sql(points(40, 3000, '10 s'));
    await refresh();
    await retain('35 days');
    await remove();
    const window = { from: at(40), to: at(39) };
    const day = at(40).slice(0, 10);
    await test.sql(
      `insert into audio_data_exclusions (since, until, reason) values ('${day}T02:00:30Z', '${day}T02:04:10Z', 'rain')`,
    );
    expect((await summary({ ...test, exclusions: 'apply' }, window)).point_count).toBe(3000 - 5 * 6);
    expect((await summary(test, window)).point_count).toBe(3000);
    await test.sql('delete from audio_data_exclusions');
  });
});

/** Both the points of a chunk and its history are never seen, and never neither. */
describeServer('timescale', 'History of chunks', (engine) => {
  const test = openForAll(() => engine.open());
  const random = seeded(2);
  const { compareBeside } = comparisons(test, random, true);

  it('counts each point once while chunks are dropped', async () => {
    await test.sql(pointsIn(FEW));
    await test.sql('update audio_data_refreshes set sparse_below = 1');
    await refreshRollups(test.sql, 100_000);
    const others = [await connect(test.url ?? ''), await connect(test.url ?? '')] as const;
    let day = 1;
    await compareBeside(12, [
      async () => {
        await others[0].query(`update audio_data_refreshes
          set raw_retention = (now() - '2026-02-0${(day++ % 9) + 1}Z')::text, removed_until = '2026-02-09Z'`);
        await others[0].query('select audio_data_remove_old(0)');
      },
      () => others[1].query('select audio_data_refresh(100000)'),
    ]);
    for (const other of others) await other.end();
    const [{ history }] = await test.sql('select count(*)::int as history from audio_data_history');
    expect(history).toBeGreaterThan(0);
  });

  it('waits for transactions that write to the chunk, but not long', async () => {
    await test.sql('truncate audio_data');
    await test.sql('truncate audio_data_history');
    await test.sql(points(40, 100, '10 s'));
    await refreshRollups(test.sql, 100_000);
    await test.sql(
      `update audio_data_refreshes set raw_retention = '35 days', removed_until = now() - interval '35 days'`,
    );
    const writer = await connect(test.url ?? '');
    await writer.query('begin');
    await writer.query(points(40, 50, '1 s'));
    const began = performance.now();
    const [{ removed }] = await test.sql(
      'select audio_data_remove_old(0) as removed from audio_data_refreshes',
    );
    expect([removed, performance.now() - began < 5000]).toEqual([null, true]);
    await writer.query('commit');
    await writer.end();
    expect((await removeOldPoints(test.sql, 0)).steps).toBe(1);
    const [{ n }] = await test.sql(
      'select sum(point_count)::int as n from audio_data_history where minutes = 1',
    );
    expect(n).toBe(150);
  });
});

describeServer('timescale', 'Removal of a chunk', (engine) => {
  const test = openForAll(() => engine.open());

  it('gives up before a writer to the chunk that waits for it', async () => {
    await test.sql(points(40, 100, '10 s'));
    await test.sql(
      `update audio_data_refreshes set raw_retention = '35 days', sparse_below = 1,
      removed_until = now() - interval '60 days', waited = '25 hours'`,
    );
    const open = () => connect(test.url ?? '');
    const [writer, holder, remover] = [await open(), await open(), await open()];
    const waiting = async () =>
      (
        await test.sql(
          `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
      )[0].n;
    await writer.query('begin');
    await writer.query(points(40, 1, '1 s'));
    await holder.query('begin; select from audio_data_refreshes for update');
    const removal = remover.query('select audio_data_remove_old(0) as removed');
    await expect.poll(waiting, { interval: 10 }).toBe(1);
    const deletion = writer.query(`delete from audio_data where time = '${at(40)}'`); // waits for the removal
    await expect.poll(waiting, { interval: 10 }).toBe(2);
    await holder.query('commit');
    expect((await removal).rows).toEqual([{ removed: null }]);
    expect((await deletion).rowCount).toBe(2);
    await writer.query('commit');
    for (const other of [writer, holder, remover]) await other.end();
  });
});

/** Chunks that are longer than a day, or end within one. */
describeServer('timescale', 'History of chunks', (engine) => {
  it.each(['7 days', '36 hours'])('of %s equals a witness', async (length) => {
    const test = await engine.open();
    const { sql } = test;
    try {
      await sql(`select set_chunk_time_interval('audio_data', interval '${length}')`);
      await sql('create table witness (like audio_data)');
      const both = async (text: (table: string) => string) => {
        await sql(text('audio_data'));
        await sql(text('witness'));
      };
      const store = (...each: Parameters<typeof points>) =>
        both((table) => points(...each).replace('audio_data', table));
      await store(70, 12_000, '216 s'); // 30 days
      await store(39, 10_000, '86.4 s'); // 10 days
      await refreshRollups(sql, 100_000);
      await sql(
        `select compress_chunk(c) from show_chunks('audio_data', older_than => interval '50 days') c`,
      );
      await both((table) => `update ${table} set rms_db = -1.5 where extract(minute from time) = 3`);
      await both((table) => `delete from ${table} where extract(minute from time) = 17`);
      await store(66, 300, '7 s'); // late
      await sql(`update audio_data_refreshes set raw_retention = '35 days', sparse_below = 100,
        removed_until = now() - interval '35 days'`);
      const window = { from: at(71), to: at(20) };
      /** Without what sums do not tell. */
      const read = async () =>
        JSON.parse(
          JSON.stringify([await summary(test, window), await series(test, window, 3600, 0)]),
          (name, value) => (/^(l\d|dominant)/.test(name) ? undefined : value),
        );
      const near = (answers: object) =>
        JSON.parse(JSON.stringify(answers), (name, value) =>
          name.startsWith('leq') && value !== null ? expect.closeTo(value, 9) : value,
        );
      const before = near(await read());
      let steps = 0;
      for (let removed = 1; removed === 1; steps++) {
        if (steps % 2 === 0) await refreshRollups(sql, 100_000);
        [{ removed }] = await sql('select audio_data_remove_old(0) as removed');
        expect(await read()).toEqual(before);
      }
      expect(steps).toBeGreaterThan(4);
      expect(await sql(ALL_MINUTES)).toEqual(await sql(minutesFrom('witness')));
      const [{ oldest, end }] = await sql(`select (select min(time)::text from audio_data) as oldest,
        min(range_end) > now() - interval '35 days' as end from timescaledb_information.chunks where hypertable_name = 'audio_data'`);
      expect([oldest > at(43).slice(0, 10), end]).toEqual([true, true]); // a chunk stays until all its points are old
      await store(60, 500, '11 s'); // on a day of history
      const later = near(await read());
      await refreshRollups(sql, 100_000);
      expect((await removeOldPoints(sql, 0)).steps).toBeGreaterThan(0);
      expect(await read()).toEqual(later);
      expect(await sql(ALL_MINUTES)).toEqual(await sql(minutesFrom('witness')));
    } finally {
      await test.close();
    }
  });
});

describeEachServer('History', (engine) => {
  it('stays with a killed removal, a second migration and an adoption', async () => {
    const test = await engine.open();
    const count = async () => {
      const [{ points, history }] = await test.sql(
        'select (select count(*)::int from audio_data) as points, (select coalesce(sum(point_count), 0)::int from audio_data_history where minutes = 1) as history',
      );
      return [points, history];
    };
    try {
      await test.sql(points(40, 3000, '10 s'));
      await refreshRollups(test.sql, 100_000);
      await test.sql(
        `update audio_data_refreshes set raw_retention = '35 days', removed_until = now() - interval '35 days'`,
      );
      const killed = await connect(test.url ?? '');
      const { rows } = await killed.query('select pg_backend_pid() as pid');
      const removal = killed
        .query('begin; select audio_data_remove_old(0); select pg_sleep(60)')
        .catch(() => 'killed');
      const asleep = `select count(*)::int as n from pg_stat_activity where pid = ${rows[0].pid} and wait_event = 'PgSleep'`;
      await expect.poll(async () => (await test.sql(asleep))[0].n).toBe(1);
      await test.sql(`select pg_terminate_backend(${rows[0].pid})`);
      expect(await removal).toBe('killed');
      expect(await count()).toEqual([3000, 0]);
      const removed = async () => {
        await removeOldPoints(test.sql, 0); // gives up while the killed session still holds its locks
        return count();
      };
      await expect.poll(removed).toEqual([0, 3000]);
      await migrate({ url: test.url ?? '' });
      expect(await count()).toEqual([0, 3000]);
      await test.sql('drop schema drizzle cascade');
      await migrate({ url: test.url ?? '' });
      expect(await count()).toEqual([0, 3000]);
      expect((await summary(test, { from: at(41), to: at(39) })).point_count).toBe(3000);
    } finally {
      await test.close();
    }
  });
});
