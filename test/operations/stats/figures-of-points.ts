// Compares every figure composed of rollups and points, with and without exclusions, with its definition.
import { beforeAll, expect, it } from 'vitest';
import { BANDS } from '../../../src/contract/bands.ts';
import {
  type Interval,
  instantOf,
  instantOfMicros,
  microsOf,
  type Range,
} from '../../../src/contract/instant.ts';
import { JUDGEMENT, type Judgement, parseLimits } from '../../../src/contract/limits.ts';
import { earlier, later, union } from '../../../src/contract/ranges.ts';
import type { CountCriteria } from '../../../src/operations/events/event-criteria.ts';
import { noiseEvents } from '../../../src/operations/events/list/query.ts';
import { localDays, localHours, localMidnights } from '../../../src/operations/local-days.ts';
import { days } from '../../../src/operations/stats/days/query.ts';
import { distribution } from '../../../src/operations/stats/distribution/query.ts';
import { frequencies } from '../../../src/operations/stats/frequencies/query.ts';
import { limitParts } from '../../../src/operations/stats/limits/limit-parts.ts';
import { againstLimits } from '../../../src/operations/stats/limits/query.ts';
import { quality } from '../../../src/operations/stats/quality/query.ts';
import { series } from '../../../src/operations/stats/series/query.ts';
import { summary } from '../../../src/operations/stats/summary/query.ts';
import { refreshRollups } from '../../../src/rollups/refresh-rollups.ts';
import { type Engine, openForAll } from '../../engines.ts';
import { DBFS_SCALE } from '../../scales.ts';
import { insertPoints } from '../../service.ts';
import { DENSE_DAYS } from '../changing-points.ts';
import { clip, energyMeansOf, figuresBy, near, pointsInMemory, ratedBy, tenthsOf } from './definitions.ts';

const DAY_MS = 86_400_000;
/** The start of four old days with a clock change in Europe, and of the latest four, which keep all bucket lengths. */
const STARTS = [Date.parse('2026-03-27T00:00:00Z'), Math.floor(Date.now() / DAY_MS) * DAY_MS - 4 * DAY_MS];
const LENGTH_MS = 4 * DAY_MS;

/** The half hours of each day that have points: around the midnights of the zones below. */
const FEW = [0, 2, 5, 36, 44, 46, 47];
/** Half hours of the old days that all have points: from 06:00 to 06:00 in Vienna, 23 hours. */
const WHOLE_DAY = [58, 104] as const;
const ZONES = ['Europe/Vienna', 'Asia/Kathmandu', 'America/St_Johns', 'UTC'];

const SPACING_MS = 20_000;
/** Levels around those of the points; above one of them lie levels that are stored as the floor. */
const LIMITS = ['06-22=85,22-06=80', '00-24=83:3', '22:30-05:15=82:1.5,12-12:20=86', '00-12=45.2,12-24=46'];
const OFFSET_DB = 95;

/** Levels at the bounds of stored levels, or just beside rounding borders. */
const ENDS = [null, -50, -50, -49.96, -49.94, -0.06, -0.04, 0];

export interface Comparison {
  chance(): number;
  /** Points in all half hours. */
  isDense: boolean;
  /** How many windows are compared each time. */
  rounds: number;
}

export function compareFigures(engine: Engine, { chance, isDense, rounds }: Comparison): void {
  const test = openForAll(() => engine.open());
  const random = (below: number) => Math.floor(chance() * below);
  const some = <Value>(values: readonly Value[], fallback: Value) =>
    values[random(values.length)] ?? fallback;
  const someLevel = () => (random(4) === 0 ? some(ENDS, null) : -random(5000) / 100);
  const someRow = (ms: number) =>
    [instantOf(ms), someLevel(), random(9) > 0 ? 100 + random(20) : null, random(5) === 0] as const;

  /** A point about every 20 s, with gaps; one hour has only points at the floor. */
  function rowsFrom(start: number) {
    const halfOf = (ms: number) => Math.floor((ms - start) / 1_800_000);
    const isWhole = (ms: number) =>
      start === STARTS[0] && halfOf(ms) >= WHOLE_DAY[0] && halfOf(ms) < WHOLE_DAY[1];
    const nextAfter = (ms: number) => {
      if (random(30) === 0) return ms;
      return ms + (random(1500) === 0 && !isWhole(ms) ? random(9_000_000) : random(40_000));
    };
    const rows = [];
    for (let ms = start; ms < start + LENGTH_MS; ms = nextAfter(ms))
      if (isDense || isWhole(ms) || FEW.includes(halfOf(ms) % 48)) rows.push(someRow(ms));
    for (let ms = start + DAY_MS; ms < start + DAY_MS + 3_600_000; ms += 30_000)
      rows.push([instantOf(ms), -50, 100, true] as const);
    return rows.filter(
      ([time, level]) => level === -50 || !time.startsWith(instantOf(start + DAY_MS).slice(0, 13)),
    );
  }
  /** A random time in a half hour with points. */
  const someTime = (start: number) =>
    start + random(4) * DAY_MS + some(FEW, 0) * 1_800_000 + random(1_800_000);

  const { all, within, minutesIn, coverage, isExcluded, ...memory } = pointsInMemory(test);
  /** Statistics apply exclusions only if there are some. */
  let exclusions: 'apply' | 'ignore' = 'ignore';
  const store = () => ({ ...test, exclusions });
  const settle = () => refreshRollups(test.sql, 100_000);

  /** Stores a few long exclusions or many short ones, of which some overlap or touch; or removes all. */
  async function exclude(range: Range, how: 'none' | 'few' | 'many') {
    const ranges: Range[] = [];
    const length = Number(range.to - range.from);
    for (let n = { none: 0, few: 1 + random(5), many: 90 }[how]; n > 0; n--) {
      const width = some([1n, 1n, 60_000_000n, 1_800_000_000n], 1n);
      const at = range.from + BigInt(random(length));
      const from = at - (at % width) + BigInt(random(2));
      const to = from + 1n + BigInt(random(how === 'many' ? 4e8 : some([4e7, 4e9, 4e10], 4e9)));
      ranges.push({ from, to });
      if (random(4) === 0) ranges.push({ from: to, to: to + 420_000_000n });
    }
    await test.sql('delete from audio_data_exclusions');
    const rows = ranges.map(
      ({ from, to }) => `('${instantOfMicros(from)}', '${instantOfMicros(to)}', 'rain')`,
    );
    if (rows.length > 0)
      await test.sql(`insert into audio_data_exclusions (since, until, reason) values ${rows.join()}`);
    memory.exclude(union(ranges, []));
    exclusions = how === 'none' ? 'ignore' : 'apply';
  }

  beforeAll(async () => {
    await test.sql(DENSE_DAYS);
    for (const start of STARTS) await test.sql(insertPoints(rowsFrom(start)));
    await test.sql(
      `insert into audio_data_periods (since, interval_ms) values ('2000-01-01Z', ${SPACING_MS})`,
    );
    await settle();
  });

  /** A window of the points, often with an end at a bucket's border. */
  function someWindow(): Range {
    const start = some(STARTS, 0);
    const end = () => {
      const width = some([1, 60_000, 1_800_000, DAY_MS], 1);
      const at = isDense ? start + random(LENGTH_MS) : someTime(start);
      return BigInt(Math.floor(at / width) * width) * 1000n;
    };
    const [a, b] = [end(), end() + BigInt(random(2))];
    return a === b ? someWindow() : a < b ? { from: a, to: b } : { from: b, to: a };
  }

  async function compareSummary(range: Range, interval: Interval) {
    const { level_count, under_range, over_range, exceeded, ...expected } = figuresBy(within(range));
    const found = await summary(store(), interval);
    expect(found, JSON.stringify(interval)).toMatchObject({ ...expected, ...exceeded });
    const whole = figuresBy(all(range)); // quality knows no exclusions
    const percent = (count: number) => (whole.level_count > 0 ? (100 * count) / whole.level_count : null);
    expect(await quality(test, interval, instantOf(Date.now()))).toMatchObject({
      at_floor_percent: percent(whole.under_range),
      at_ceiling_percent: percent(whole.over_range),
      repeated_count: all(range).length - new Set(all(range).map(({ at }) => at)).size,
    });
    const { level_count: counted, levels } = await distribution(store(), interval, 1);
    const tenths = within(range).flatMap(({ level }) => (level === null ? [] : [tenthsOf(level)]));
    const inClass = ({ level_db: from }: { level_db: number }) =>
      tenths.filter((tenth) => tenth >= from * 10 && tenth < from * 10 + 10).length;
    expect([counted, ...levels.map(({ point_count }) => point_count)]).toEqual([
      level_count,
      ...levels.map(inClass),
    ]);
  }

  /** @param buckets some buckets with the figures of their points */
  function compareBuckets<Bucket extends { time: string }>(
    buckets: readonly Bucket[],
    range: Range,
    endOf: (time: string, index: number) => bigint,
    about: object,
  ) {
    for (const [index, { time, ...bucket }] of buckets.entries()) {
      const whole = { from: microsOf(time), to: endOf(time, index) };
      const { level_count, under_range, over_range, exceeded, ...expected } = figuresBy(
        within(clip(whole, range)),
      );
      expect(bucket, JSON.stringify({ ...about, time })).toMatchObject({ ...expected, ...exceeded });
    }
  }

  async function compareSeries(range: Range, interval: Interval, seconds: number) {
    const endOf = (time: string) => microsOf(time) + BigInt(seconds) * 1_000_000n;
    const about = { interval, seconds };
    compareBuckets(await series(store(), interval, seconds), range, endOf, about);
    for (const { time, point_count, counts } of await frequencies(store(), interval, seconds)) {
      const counted = within(clip({ from: microsOf(time), to: endOf(time) }, range));
      const inBand = ({ from_hz, to_hz }: (typeof BANDS)[number]) =>
        counted.filter(({ frequency: hz }) => hz !== null && hz >= from_hz && hz < to_hz).length;
      const expected = [counted.length, ...BANDS.map(inBand)];
      expect([point_count, ...counts], JSON.stringify({ ...about, time })).toEqual(expected);
    }
  }

  async function compareLocalSeries(range: Range, interval: Interval, cuts: string[]) {
    const buckets = await series(store(), interval, 86_400, undefined, cuts);
    expect(buckets.map(({ time }) => time)).toEqual(cuts.slice(0, -1));
    compareBuckets(buckets, range, (_, index) => microsOf(cuts[index + 1] ?? ''), { interval, cuts });
  }

  async function compareDays(range: Range, interval: Interval, zone: string, tenths = random(14)) {
    // an evening that starts with the night is empty
    const [evening_start, nominalHours] = some(
      [
        [18, [12, 4, 8]],
        [22, [16, 0, 8]],
      ] as const,
      [18, [12, 4, 8]] as const,
    );
    const penaltiesDb = some(
      [
        [0, 5, 10],
        [0, 4.77, 10],
        [0, 0, 6.5],
      ] as const,
      [0, 5, 10] as const,
    );
    const local = localDays(interval, zone, { day_start: 6, evening_start, night_start: 22 }, 366);
    const now = instantOfMicros(range.from + ((range.to - range.from) * BigInt(tenths)) / 10n);
    const rating = { nominalHours, penaltiesDb, offset_db: 0 };
    const counted = someCriteria();
    const found = await days(store(), { interval, localDays: local, rating, counted, now });
    const starts = await startsOf(interval, counted, now);
    const until = { from: range.from, to: range.to < microsOf(now) ? range.to : microsOf(now) };
    const parts = local.map(({ starts }) =>
      [0, 1, 2].map((part) => {
        const whole = { from: microsOf(starts[part] ?? ''), to: microsOf(starts[part + 1] ?? '') };
        const minutes = minutesIn(whole, until);
        return {
          samples: within(clip(whole, range)),
          minutes: minutes.length,
          nominal: Number((whole.to - whole.from) / 60_000_000n),
          measured: minutes.filter(({ isMeasured }) => isMeasured).length,
        };
      }),
    );
    const expected = (some: typeof parts) => {
      const of = [0, 1, 2].map((part) => some.flatMap((parts) => parts[part] ?? []));
      const { level_count, exceeded, dominant_frequency_hz, ...all } = figuresBy(
        of.flatMap((parts) => parts.flatMap(({ samples }) => samples)),
      );
      const [day, evening, night] = of.map((parts) => {
        const minutes = parts.reduce((sum, { minutes }) => sum + minutes, 0);
        const measured = parts.reduce((sum, { measured }) => sum + measured, 0);
        const { point_count, leq_db } = figuresBy(parts.flatMap(({ samples }) => samples));
        return { count: point_count, leq: leq_db, percent: minutes > 0 ? (100 * measured) / minutes : null };
      });
      const samplesOf = of.map((parts) => parts.flatMap(({ samples }) => samples));
      const rated = ratedBy(samplesOf, rating);
      const rated_low_db = ratedBy(samplesOf, rating, { isFloorSilent: true });
      const [lday_low_db, levening_low_db, lnight_low_db] = samplesOf.map(
        (samples) => figuresBy(samples).leq_low_db,
      );
      const isOfDirective = evening_start === 18 && penaltiesDb[1] === 5;
      return {
        ...all,
        rated_db: rated,
        lden_db: isOfDirective ? rated : null,
        lday_low_db,
        levening_low_db,
        lnight_low_db,
        lden_low_db: isOfDirective ? rated_low_db : null,
        rated_low_db,
        lday_db: day?.leq,
        levening_db: evening?.leq,
        lnight_db: night?.leq,
        day_count: day?.count,
        evening_count: evening?.count,
        night_count: night?.count,
        day_measured_percent: day?.percent,
        evening_measured_percent: evening?.percent,
        night_measured_percent: night?.percent,
      };
    };
    const about = JSON.stringify({ interval, zone, now, counted });
    for (const [index, day] of found.days.entries())
      expect(day, about).toMatchObject({
        ...expected([(parts[index] ?? []).map((part) => ({ ...part, minutes: part.nominal }))]),
        event_count: starts.filter((start) => start >= day.from && start < day.to).length,
      });
    expect(found.overall, about).toMatchObject({ ...expected(parts), event_count: starts.length });
    const whole = parts.filter((_, index) => {
      const {
        starts: [from, , , to],
      } = local[index] ?? expect.unreachable();
      const isMeasured = (parts[index] ?? []).every(({ minutes, measured }) => measured >= 0.9 * minutes);
      return microsOf(from) >= range.from && microsOf(to) <= until.to && isMeasured;
    });
    expect(found.whole_days, about).toMatchObject({ days: whole.length, ...expected(whole) });
    return whole.length;
  }

  async function compareEvents(interval: Interval, hold_seconds: number) {
    const criteria = { threshold: -20, above_background: null, hysteresis: 20, hold_seconds };
    const query = {
      interval,
      criteria: { ...criteria, min_duration_seconds: 0, spacing_seconds: 20 },
      now: instantOf(Date.now()),
    };
    const { events } = await noiseEvents(store(), { ...query, limit: 20 });
    const every = (await noiseEvents(test, { ...query, limit: 100_000 })).events;
    const starts = every.map(({ start }) => start).filter((start) => !isExcluded(microsOf(start)));
    expect(events.map(({ start }) => start)).toEqual(starts.slice(0, 20));
    for (const { start, end, ...event } of events) {
      const { level_count, exceeded, ...expected } = figuresBy(
        all({ from: microsOf(start), to: microsOf(end) }),
      );
      expect(event, start).toMatchObject(expected);
    }
    return events.map(({ duration_seconds }) => duration_seconds);
  }

  function someCriteria(): CountCriteria {
    const above_background = some([null, 10, 25], null);
    return {
      threshold: above_background === null ? some([-10, -15, -3], -10) : null,
      above_background,
      hysteresis: some([0, 3, 15], 0),
      hold_seconds: some([null, 10, 30, 60], null),
      min_duration_seconds: some([0, 5, 50], 0),
    };
  }

  /** The starts of the events that no exclusion holds. */
  async function startsOf(interval: Interval, counted: CountCriteria, now = interval.to) {
    const { events } = await noiseEvents(test, {
      interval,
      criteria: { ...counted, spacing_seconds: SPACING_MS / 1000 },
      limit: 100_000,
      now,
    });
    return events.map(({ start }) => start).filter((start) => !isExcluded(microsOf(start)));
  }

  async function compareLimits(range: Range, interval: Interval, zone: string) {
    const limits = parseLimits(some(LIMITS, '00-24=65')) ?? [];
    const parts = limitParts(interval, zone, limits, 'part', 100);
    const uncertaintyDb = some([null, 0, 1.5], null);
    const judgement: Judgement = {
      ...JUDGEMENT,
      uncertaintyDb,
      minMeasuredPercent: some([90, 50], 90),
      weighting: 'A',
    };
    const site = { judgement, scale: DBFS_SCALE, calibrationOffsetDb: OFFSET_DB };
    const counted = someCriteria();
    const query = { interval, now: interval.to, limits, parts, ...site, counted };
    const found = await againstLimits(store(), query);
    const about = JSON.stringify({ interval, zone, limits, judgement, counted });
    const starts = await startsOf(interval, counted);
    for (const [index, { limit, ...nominal }] of parts.entries()) {
      const [from, to] = [later(nominal.from, interval.from), earlier(nominal.to, interval.to)];
      const part = { from: microsOf(from), to: microsOf(to) };
      const seconds = (range: Interval) => Number(microsOf(range.to) - microsOf(range.from));
      const ofNominal = seconds({ from, to }) / seconds({ ...nominal, to: earlier(nominal.to, query.now) });
      const { limit_db = 0, penalty_db = 0 } = limits[limit] ?? {};
      const excessOf = (level: number | null) => (level ?? Number.NEGATIVE_INFINITY) + OFFSET_DB - limit_db;
      const isAbove = (level: number | null) => excessOf(level) > 1e-5;
      const side = (level: number | null) => {
        const above = excessOf(level) + penalty_db;
        if (uncertaintyDb === null) return Math.round(above * 10) > 0 ? 'over' : 'under';
        return above > uncertaintyDb ? 'over' : above < -uncertaintyDb ? 'under' : 'undecided';
      };
      const { leq, lowest } = energyMeansOf(within(part));
      const points = within(part);
      const withLevel = points.filter(({ level }) => level !== null).length;
      const share = points.length > 0 ? withLevel / points.length : 1;
      const percent = coverage(part, BigInt(5000 * SPACING_MS)) * share;
      const isWhole = from === nominal.from && to === nominal.to;
      const isKnown = isWhole && leq !== null && percent >= judgement.minMeasuredPercent;
      const above = points.reduce(
        (sum, { level }) => sum + (level !== null && tenthsOf(level) > -500 ? 10 ** (level / 10) : 0),
        0,
      );
      const measured = ((percent / 100) * seconds({ from, to })) / seconds(nominal);
      const isAtCeiling = points.some(({ level }) => level !== null && tenthsOf(level) === 0);
      const isCertain = above > 0 && side(10 * Math.log10((above / withLevel) * measured)) === 'over';
      const minutes = minutesIn(part, range)
        .filter(({ isMeasured }) => isMeasured)
        .map(({ samples }) => energyMeansOf(samples))
        .filter(({ leq }) => leq !== null);
      const surelyOver = minutes.filter(({ lowest }) => isAbove(lowest)).length;
      expect(found.parts[index], about).toMatchObject({
        point_count: within(part).length,
        leq_db: near(leq),
        leq_low_db: near(lowest),
        minute_count: minutes.length,
        minutes_over: surelyOver,
        minutes_undecided: minutes.filter(({ leq }) => isAbove(leq)).length - surelyOver,
        event_count: starts.filter((start) => start >= from && start < to).length,
        measured_percent: near(percent * ofNominal),
        is_cut: !isWhole,
        state: isCertain
          ? 'over'
          : isKnown && (side(leq) === 'over' ? side(lowest) === 'over' : !isAtCeiling)
            ? side(leq)
            : 'undecided',
      });
    }
    for (const [number, limit] of limits.entries()) {
      const its = found.parts.filter((_, index) => parts[index]?.limit === number);
      const counted = its.filter(({ is_cut }) => !is_cut);
      const sum = (
        count: 'point_count' | 'minute_count' | 'minutes_over' | 'minutes_undecided' | 'event_count',
      ) => its.reduce((total, part) => total + (part[count] ?? 0), 0);
      expect(found.limits[number], about).toMatchObject({
        ...limit,
        point_count: sum('point_count'),
        minute_count: sum('minute_count'),
        minutes_over: sum('minutes_over'),
        minutes_undecided: sum('minutes_undecided'),
        event_count: sum('event_count'),
        part_count: counted.length,
        parts_over: counted.filter(({ state }) => state === 'over').length,
        parts_undecided: counted.filter(({ state }) => state === 'undecided').length,
      });
    }
  }

  /** Compares in random windows, with exclusions in the last of them. The first covers all old days. */
  async function compare(isFresh = false) {
    await memory.read();
    for (let n = 0; n <= rounds; n++) {
      const [start = 0] = STARTS;
      const whole = { from: BigInt(start) * 1000n, to: BigInt(start + LENGTH_MS) * 1000n };
      const range = n === 0 ? whole : someWindow();
      await exclude(range, n < rounds ? 'none' : some(['few', 'many'], 'few'));
      const interval = { from: instantOfMicros(range.from), to: instantOfMicros(range.to) };
      const zone = n === 0 ? 'Europe/Vienna' : some(ZONES, 'UTC');
      await compareSummary(range, interval);
      const mostSeconds = Number(range.to - range.from) / 1e6;
      const shorter = [60, 120, 300, 600, 900].filter((seconds) => isDense || mostSeconds / seconds < 500);
      await compareSeries(range, interval, some(shorter, 1800));
      await compareSeries(range, interval, some([3600, 7200, 10_800, 43_200, 86_400], 3600));
      await compareLocalSeries(range, interval, localMidnights(interval, zone, 366));
      await compareLocalSeries(range, interval, localHours(interval, zone));
      const wholeDays = await compareDays(range, interval, zone, n === 0 ? 10 : undefined);
      if (n === 0 && isFresh && !isDense) expect(wholeDays).toBeGreaterThan(0);
      await compareEvents(interval, some([40, 600], 40));
      await compareLimits(range, interval, zone);
    }
  }

  it('while all rollups are fresh', async () => {
    await compare(true);
    const [start = 0] = STARTS;
    const interval = { from: instantOf(start), to: instantOf(start + LENGTH_MS) };
    await exclude({ from: microsOf(interval.from), to: microsOf(interval.to) }, 'none');
    expect(Math.max(...(await compareEvents(interval, 3600)))).toBeGreaterThan(3600); // so rollups answer for it
  });

  it('with late points that no rollup holds yet', async () => {
    for (const start of STARTS)
      await test.sql(insertPoints(Array.from({ length: 40 }, () => someRow(someTime(start)))));
    await compare();
  });

  it('after deletions and changes, before the next refresh and after it', async () => {
    for (const start of STARTS) {
      const at = instantOf(someTime(start) - 7_200_000);
      await test.sql(
        `delete from audio_data where time >= '${at}' and time < '${at}'::timestamptz + interval '2 h'`,
      );
      await test.sql(`delete from audio_data where time = (select max(time) from audio_data where rms_db = -50
        and time < '${instantOf(start + LENGTH_MS)}')`);
      await test.sql(`update audio_data set rms_db = case when rms_db <= -49.95 then 0 else -50 end
        where time >= '${at}'::timestamptz + interval '2 h' and time < '${at}'::timestamptz + interval '150 min'`);
    }
    await compare();
    await settle();
    await compare();
  });

  it('are those of no points if everything is excluded', async () => {
    const [start = 0] = STARTS;
    const interval = { from: instantOf(start), to: instantOf(start + LENGTH_MS) };
    await test.sql(
      `insert into audio_data_exclusions (since, until, reason) values ('2026-01-01Z', '2027-01-01Z', 'rain')`,
    );
    const excluding = { ...test, exclusions: 'apply' } as const;
    expect(await summary(excluding, interval)).toMatchObject({ point_count: 0, leq_db: null });
    const days = await series(excluding, interval, 86_400);
    expect(days.map(({ point_count }) => point_count)).toEqual([0, 0, 0, 0]);
  });

  it('except levels in short buckets with more points than are counted', async () => {
    const [, start = 0] = STARTS;
    const interval = { from: instantOf(start), to: instantOf(start + LENGTH_MS) };
    const figures = (buckets: Awaited<ReturnType<typeof series>>) =>
      buckets.flatMap(({ point_count, leq_low_db, l10_db, l50_db, l90_db }) =>
        point_count > 0
          ? [[leq_low_db, l10_db, l50_db, l90_db].filter((figure) => figure !== null).length]
          : [],
      );
    const { point_count } = await summary(test, interval);
    const counted = figures(await series(test, interval, 900, point_count));
    expect(Math.max(...counted)).toBe(4);
    expect(new Set(figures(await series(test, interval, 900, point_count - 1)))).toEqual(new Set([0]));
    expect(Math.max(...figures(await series(test, interval, 1800, 1)))).toBe(4);
    expect(new Set(figures(await series(test, interval, 1800, 0)))).toEqual(new Set([0]));
  });
}
