import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { beforeAll, expect, inject, it } from 'vitest';
import { instantOfMicros, microsOf } from '../../../src/contract/instant.ts';
import { grantReader } from '../../../src/db/grant-reader.ts';
import { noiseEvents } from '../../../src/queries/events/noise-events.ts';
import { distribution } from '../../../src/queries/statistics/distribution.ts';
import { frequencies } from '../../../src/queries/statistics/frequencies.ts';
import { gaps } from '../../../src/queries/statistics/gaps.ts';
import { answerFrom, type RollupQuery } from '../../../src/queries/statistics/rollup-planner.ts';
import { series } from '../../../src/queries/statistics/series.ts';
import { sourcesOf } from '../../../src/queries/statistics/source-scans.ts';
import { splitInterval } from '../../../src/queries/statistics/split-interval.ts';
import { type Statistics, SUMMARY, summary, summarySelect } from '../../../src/queries/statistics/summary.ts';
import { totalsBetween } from '../../../src/queries/statistics/totals-between.ts';
import { FUNCTIONS, RESOLUTIONS, ROLLUPS, resolutionsOf } from '../../../src/timescale/rollups.ts';
import { createRollups, NO_ROLLUPS, type Store } from '../../../src/timescale/rollups-in-use.ts';
import { startCluster, timescaleSettings } from '../../cluster.ts';
import { arrangements } from '../../db/arrangements.ts';
import { connect, describeServer, openForAll, statement } from '../../engines.ts';
import { change, DAYS, START, settle } from '../changing-points.ts';

/** How many windows are compared while points change. */
const { SUMMARY_WINDOWS = '40' } = process.env;
const WINDOWS = Number(SUMMARY_WINDOWS);

const { closers, open, addRole } = arrangements();

describeServer('timescale', 'summary from rollups', (engine) => {
  const test = openForAll(() => engine.open());
  let owner: Awaited<ReturnType<typeof connect>>;
  beforeAll(async () => {
    owner = await connect(test.url ?? '');
    await settle(owner);
    return () => owner.end();
  });

  const micros = (ms: number) => BigInt(ms) * 1000n + BigInt(Math.floor(Math.random() * 1000));
  /** Any window, often with an end on the border of an hour or a day. */
  function someRange() {
    const end = () => {
      const at = START - 86_400_000 + Math.random() * (DAYS + 2) * 86_400_000;
      const width = [1, 300_000, 3_600_000, 86_400_000][Math.floor(Math.random() * 4)] ?? 1;
      return width === 1 ? micros(Math.floor(at)) : BigInt(Math.floor(at / width) * width) * 1000n;
    };
    const [from, to] = [end(), end() + BigInt(Math.floor(Math.random() * 3)) * 86_400_000_000n];
    if (Math.random() < 0.2) return { from, to: from + BigInt(1 + Math.floor(Math.random() * 7.2e9)) };
    return from < to ? { from, to } : { from: to, to: from + 1n };
  }
  /** Some hours within a range, for the most part. */
  function someCuts({ from, to }: { from: bigint; to: bigint }): string[] {
    const hour = 3_600_000_000n;
    const within = Array.from(
      { length: 5 },
      () => from + BigInt(Math.floor(Math.random() * Number(to - from))),
    );
    const cuts = within.map((at) => (Math.random() < 0.9 ? at - (at % hour) : at)).filter((at) => at > from);
    return [...new Set(cuts)].sort((a, b) => (a < b ? -1 : 1)).map(instantOfMicros);
  }
  const raw = (store: Store): Store => ({ ...store, rollups: NO_ROLLUPS });
  const interval = { from: '2026-02-01T00:30:00.000000Z', to: '2026-02-11T00:30:00.000000Z' };

  function expectSame<Figures extends { leq_db: number | null }>(
    actual: Figures | undefined,
    expected: Figures,
    about: string,
  ) {
    const { leq_db, ...rest } = actual ?? ({ leq_db: null } as Figures);
    const { leq_db: expectedLeq, ...expectedRest } = expected;
    expect(rest, about).toEqual(expectedRest);
    if (expectedLeq === null || leq_db === null) expect(leq_db, about).toBe(expectedLeq);
    else expect(Math.abs(leq_db - expectedLeq), about).toBeLessThan(1e-9);
  }

  /** Composes and reads raw in one statement: both of one state of the points, which `answerFrom` checks. */
  async function compareAtOnce(store: Store = test) {
    const range = someRange();
    const interval = { from: instantOfMicros(range.from), to: instantOfMicros(range.to) };
    const points = summarySelect(sourcesOf([{ source: 'raw', ...range }]));
    let tried = 0;
    let composed = false;
    const both: RollupQuery<{ composed: Statistics; raw: Statistics }> = {
      ...SUMMARY,
      select(sources) {
        tried++;
        composed = sources.rollups.length > 0;
        return composed
          ? sql`select r.parts, c.points, c.versions from (${summarySelect(sources)}) as c, (${points}) as r`
          : points;
      },
      finish: ({ parts, ...others }) => ({
        composed: SUMMARY.finish({ ...others, parts: composed ? [] : parts }),
        raw: SUMMARY.finish({ parts, points: [], stored: [] }),
      }),
    };
    const answer = await answerFrom(store, interval, both);
    // a scan of the points alone, which is the last resort, is as good as TimescaleDB makes it
    if (composed) expectSame(answer.composed, answer.raw, JSON.stringify(interval));
    return { tried, composed };
  }

  /** A store, and the warnings of its rollups. */
  function noted(url: string) {
    const warnings: object[] = [];
    const db = open(url);
    const rollups = createRollups(db, { warn: (fields) => warnings.push(fields) });
    return { store: { db, rollups }, warnings };
  }

  /** While nothing changes. */
  async function compare(count: number) {
    for (let n = 0; n < count; n++) {
      const range = someRange();
      const interval = { from: instantOfMicros(range.from), to: instantOfMicros(range.to) };
      expectSame(await summary(test, interval), await summary(raw(test), interval), JSON.stringify(interval));
      const days = Number(range.to - range.from) / 86_400_000_000;
      const buckets = RESOLUTIONS.map(({ seconds }) => seconds).filter(
        (seconds) => days * 86_400 < 3000 * seconds,
      );
      const bucket = buckets[n % buckets.length] ?? 1;
      const actual = await series(test, interval, bucket);
      for (const [at, expected] of (await series(raw(test), interval, bucket)).entries())
        expectSame(actual[at], expected, JSON.stringify({ interval, bucket }));
      await others[n % others.length]?.({ range, interval, bucket });
    }
  }

  interface Window {
    range: { from: bigint; to: bigint };
    interval: { from: string; to: string };
    bucket: number;
    store?: Store;
  }
  /** The other questions that rollups answer, one for each window. */
  const others = [
    async ({ interval, bucket, store = test }: Window) =>
      expect(await frequencies(store, interval, bucket), JSON.stringify({ interval, bucket })).toEqual(
        await frequencies(raw(test), interval, bucket),
      ),
    async ({ interval, store = test }: Window) =>
      expect(await distribution(store, interval, 0.1)).toEqual(await distribution(raw(test), interval, 0.1)),
    async ({ interval, store = test }: Window) => {
      const least = [0.5, 2, 30, 100, 1000, 5000][Math.floor(Math.random() * 6)] ?? 10;
      expect(await gaps(store, interval, least), JSON.stringify({ interval, least })).toEqual(
        await gaps(raw(test), interval, least),
      );
    },
    async ({ range, interval, store = test }: Window) => {
      const cuts = [interval.from, ...someCuts(range), interval.to];
      const composed = await totalsBetween(store, interval, cuts);
      const points = await totalsBetween(raw(test), interval, cuts);
      for (const [at, { power_sum, level_sum, ...expected }] of points.entries()) {
        const { power_sum: power, level_sum: levels, ...totals } = composed[at] ?? expect.unreachable();
        expect({ ...totals, levels: String(levels) }, cuts[at]).toEqual({
          ...expected,
          levels: String(level_sum),
        });
        expect(power ?? 0).toBeCloseTo(power_sum ?? 0, 9);
      }
    },
    async ({ interval, store = test }: Window) => {
      const criteria = { threshold: null, above_background: 10, hysteresis: 3, hold_seconds: 60 };
      const question = {
        interval,
        criteria: { ...criteria, min_duration_seconds: 0, spacing_seconds: 43.456789 },
        limit: 20,
        now: '2026-03-01T00:00:00.000000Z',
      };
      const page = await noiseEvents(store, question);
      const { events, next } = await noiseEvents(raw(test), question);
      expect(page, JSON.stringify(interval)).toEqual({
        events: events.map(({ leq_db, sel_db, ...event }) => ({
          ...event,
          leq_db: expect.closeTo(leq_db, 9),
          sel_db: expect.closeTo(sel_db ?? Number.NaN, 9),
        })),
        next,
      });
    },
  ];

  /** Compares so many times while two others change the points. */
  async function compareWhileChanging(count: number, store: Store = test) {
    let changing = true;
    let changes = 0;
    const work = async (client: typeof owner) => {
      for (; changing; changes++) {
        await change(client);
        await sleep(5);
      }
    };
    const second = await connect(test.url ?? '');
    const writers = [work(owner), work(second)];
    const outcomes = [];
    try {
      for (let n = 0; n < count; n++) outcomes.push(await compareAtOnce(store));
    } finally {
      changing = false;
      await Promise.all(writers);
      await second.end();
    }
    expect(changes).toBeGreaterThan(count / 5);
    return outcomes;
  }

  it('equals the raw points in every field while they change', async () => {
    const outcomes = await compareWhileChanging(WINDOWS);
    expect(outcomes.filter(({ composed }) => composed).length).toBeGreaterThan(0.4 * WINDOWS);
    expect(outcomes.filter(({ tried }) => tried > 1)).not.toEqual([]);
    await compare(20);
  });

  it('would not, if the buckets that have changed were used', async () => {
    for (let n = 0; n < 20; n++) await change(owner);
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
    await sleep(300);
    const update = updater.query(`update audio_data set rms_db = -30 where time = '2026-03-01 12:00Z'`);
    await sleep(300);
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
    const outcomes = await compareWhileChanging(WINDOWS / 2, { db, rollups });
    expect(outcomes.filter(({ composed }) => composed).length).toBeGreaterThan(0.12 * WINDOWS);
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
    await compare(8);
    await owner.query(
      `call refresh_continuous_aggregate('audio_data_total_30m', '2026-01-01Z', '2026-02-12Z')`,
    );
    await compare(8);
    await owner.query(
      `select drop_chunks('audio_data_histogram_30m', older_than => '2026-02-06Z'::timestamptz)`,
    );
    await owner.query(
      `select drop_chunks('audio_data_histogram_1d', older_than => '2026-02-09Z'::timestamptz)`,
    );
    await compare(8);
    await owner.query('truncate audio_data_total_1d');
    await compare(8);
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
    for (let n = 0; n < 60; n++) {
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
