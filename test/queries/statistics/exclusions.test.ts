// Compares every statistic, with exclusions applied, with its definition over the remaining points.
import { beforeAll, expect, it } from 'vitest';
import { limitParts } from '../../../src/api/limit-parts.ts';
import { localDays } from '../../../src/api/local-days.ts';
import { BANDS } from '../../../src/contract/bands.ts';
import { instantOfMicros, microsOf, type Range } from '../../../src/contract/instant.ts';
import { parseLimits } from '../../../src/contract/limits.ts';
import { isWithin, union, without } from '../../../src/contract/ranges.ts';
import { noiseEvents } from '../../../src/queries/events/noise-events.ts';
import { againstLimits } from '../../../src/queries/statistics/against-limits.ts';
import { days } from '../../../src/queries/statistics/days.ts';
import { distribution } from '../../../src/queries/statistics/distribution.ts';
import { frequencies } from '../../../src/queries/statistics/frequencies.ts';
import { series } from '../../../src/queries/statistics/series.ts';
import { summary } from '../../../src/queries/statistics/summary.ts';
import { worstStretches } from '../../../src/queries/statistics/worst-stretches.ts';
import { refreshRollups } from '../../../src/store/refresh-rollups.ts';
import { describeEachEngine, engines, openForAll } from '../../engines.ts';
import { seeded } from '../../seeded.ts';
import { DENSE_DAYS } from '../changing-points.ts';
import { figuresBy, type Sample, tenthsOf } from './figures-of-points.ts';
import { worstBy } from './worst-definition.ts';

const SECOND = 1_000_000n;
const MINUTE = 60n * SECOND;
const DAY = 1440n * MINUTE;
const START = microsOf('2026-03-27T00:00:00Z');
const END = START + 3n * DAY;
const NOW = '2026-04-30T00:00:00.000000Z';
/** Five times the spacing of the points. */
const LEAST_GAP = 50n * SECOND;
const OFFSET_DB = 95;
const LIMITS = parseLimits('06-22=66,22-06=58') ?? [];
const HOURS = { day_start: 6, evening_start: 18, night_start: 22 };

const near = (level: number | null) => (level === null ? null : expect.closeTo(level, 8));
const intervalOf = ({ from, to }: Range) => ({ from: instantOfMicros(from), to: instantOfMicros(to) });

describeEachEngine('statistics with exclusions', (engine) => {
  const chance = seeded(engines.indexOf(engine));
  const random = (below: number) => Math.floor(chance() * below);
  const some = <Value>(values: readonly Value[], fallback: Value) =>
    values[random(values.length)] ?? fallback;
  const rounds = engine.name === 'PGlite' ? 1 : 2; // PGlite takes twice as long
  const test = openForAll(() => engine.open());
  const store = () => ({ ...test, exclusions: 'apply' as const });
  const settle = () => refreshRollups(test.sql, 100_000);
  let samples: Sample[] = [];
  let excluded: readonly Range[] = [];
  let comparisons = 0;

  function same(found: unknown, expected: unknown, about: unknown) {
    comparisons += 1;
    expect(found, JSON.stringify(about)).toMatchObject(Object(expected));
  }

  async function read() {
    const rows = await test.sql(
      `select (extract(epoch from time) * 1000000)::bigint::text as at, rms_db::float8 as level, rms_db as written,
         frequency_hz as frequency
       from audio_data order by time`,
    );
    samples = rows.map(({ at, ...row }) => ({ at: BigInt(at), ...row }));
  }

  function indexAt(time: bigint) {
    let [low, high] = [0, samples.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((samples[middle]?.at ?? 0n) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  const counted = ({ from, to }: Range) =>
    samples.slice(indexAt(from), indexAt(to)).filter(({ at }) => !isWithin(excluded, at));
  const clip = ({ from, to }: Range, whole: Range): Range => {
    const since = from > whole.from ? from : whole.from;
    const until = to < whole.to ? to : whole.to;
    return { from: since, to: until > since ? until : since };
  };

  /** A random time, often at the start of a bucket. */
  function someTime(): bigint {
    const at = START + BigInt(random(Number(END - START)));
    const width = some([1n, 1n, MINUTE, 30n * MINUTE, DAY], 1n);
    return at - (at % width) + BigInt(random(2));
  }
  function someRange(): Range {
    const [from = START, to = END] = [someTime(), someTime()].sort((a, b) => (a < b ? -1 : 1));
    return from < to ? { from, to } : someRange();
  }

  /** Stores a few long exclusions, or many short ones. Some overlap, some touch. */
  async function exclude(many: boolean): Promise<void> {
    const all: Range[] = [];
    for (let n = many ? 90 : random(6); n > 0; n--) {
      const from = someTime();
      const length = many ? random(4e8) : random(some([4e7, 4e9, 4e10], 4e9));
      all.push({ from, to: from + 1n + BigInt(length) });
      const last = all.at(-1)?.to ?? from;
      if (random(4) === 0) all.push({ from: last, to: last + 7n * MINUTE });
    }
    await test.sql('delete from audio_data_exclusions');
    const rows = all.map(({ from, to }) => `('${instantOfMicros(from)}', '${instantOfMicros(to)}', 'rain')`);
    if (rows.length > 0)
      await test.sql(`insert into audio_data_exclusions (since, until, reason) values ${rows.join()}`);
    excluded = union(all, []);
  }

  beforeAll(async () => {
    await test.sql(DENSE_DAYS);
    await test.sql(`select setseed(${chance()}); insert into audio_data (time, rms_db, frequency_hz)
      select '${instantOfMicros(START)}'::timestamptz + n * interval '10 s',
        case when n % 17 > 0 then greatest(-50, -52 + 45 * power(random(), 3)) end, case when n % 13 > 0 then 100 + (random() * 60)::int * (n % 5) end
      from generate_series(0, ${(END - START) / (10n * SECOND)} - 1) n where n % 700 > 40`);
    await settle();
  });

  async function compareFigures(range: Range) {
    const interval = intervalOf(range);
    const all = counted(range);
    const { level_count, under_range, over_range, exceeded, ...expected } = figuresBy(all);
    same(await summary(store(), interval), { ...expected, ...exceeded }, interval);
    const tenths = all.flatMap(({ level }) => (level === null ? [] : [tenthsOf(level)]));
    const found = await distribution(store(), interval, 1);
    same(found.level_count, level_count, interval);
    same(
      found.levels.map(({ point_count }) => point_count),
      found.levels.map(
        ({ level_db }) =>
          tenths.filter((tenth) => tenth >= level_db * 10 && tenth < level_db * 10 + 10).length,
      ),
      interval,
    );
  }

  async function compareBuckets(range: Range) {
    const interval = intervalOf(range);
    const length = range.to - range.from;
    const lengths = [60, 300, 900, 1800, 3600, 21_600, 86_400];
    const seconds = some(
      lengths.filter((seconds) => length / SECOND / BigInt(seconds) < 600n),
      86_400,
    );
    const about = { interval, seconds };
    const inBucket = (time: string) =>
      counted(clip({ from: microsOf(time), to: microsOf(time) + BigInt(seconds) * SECOND }, range));
    const buckets = await series(store(), interval, seconds);
    const expected = buckets.map(({ time }) => {
      const { level_count, under_range, over_range, exceeded, ...figures } = figuresBy(inBucket(time));
      return { time, ...figures, ...exceeded };
    });
    same(buckets, expected, about);
    const found = await frequencies(store(), interval, seconds);
    const bands = found.map(({ time }) => {
      const all = inBucket(time);
      const counts = BANDS.map(
        ({ from_hz, to_hz }) =>
          all.filter(({ frequency: hz }) => hz !== null && hz >= from_hz && hz < to_hz).length,
      );
      return { time, point_count: all.length, counts };
    });
    same(found, bands, about);
    if (seconds < 600) return;
    const worst = await worstStretches(store(), interval, seconds, 3);
    same(worst, worstBy(counted(range), range, seconds).slice(0, 3), about);
  }

  /** The whole minutes of a range that start in a part and touch no exclusion, with their points. */
  function minutesIn(part: Range, range: Range) {
    const first = (range.from + MINUTE - 1n) / MINUTE;
    const all: { isTouched: boolean; samples: Sample[] }[] = [];
    for (let at = first * MINUTE; at + MINUTE <= range.to; at += MINUTE) {
      if (at < part.from || at >= part.to) continue;
      const minute = { from: at, to: at + MINUTE };
      const isTouched = without([minute], excluded).some(({ from, to }) => to - from < MINUTE);
      const isGone = without([minute], excluded).length === 0;
      all.push({ isTouched: isTouched || isGone, samples: counted(minute) });
    }
    return all;
  }

  async function compareDays(range: Range) {
    const interval = intervalOf(range);
    const local = localDays(interval, 'Europe/Vienna', HOURS, 366);
    const found = await days(store(), {
      interval,
      localDays: local,
      rating: { nominalHours: [12, 4, 8], penaltiesDb: [0, 5, 10] },
      threshold: null,
      now: NOW,
    });
    for (const [index, day] of found.days.entries()) {
      const starts = local[index]?.starts.map(microsOf) ?? [];
      const parts = [0, 1, 2].map((part) => {
        const whole = { from: starts[part] ?? 0n, to: starts[part + 1] ?? 0n };
        const minutes = minutesIn(whole, range);
        const measured = minutes.filter(({ isTouched, samples }) => !isTouched && samples.length > 0).length;
        const { point_count, leq_db } = figuresBy(counted(clip(whole, range)));
        const percent = minutes.length > 0 ? (100 * measured) / minutes.length : null;
        return { point_count, leq_db, percent };
      });
      const [daily, evening, night] = parts;
      const expected = {
        lday_db: daily?.leq_db,
        levening_db: evening?.leq_db,
        lnight_db: night?.leq_db,
        day_count: daily?.point_count,
        evening_count: evening?.point_count,
        night_count: night?.point_count,
        day_measured_percent: daily?.percent,
        evening_measured_percent: evening?.percent,
        night_measured_percent: night?.percent,
      };
      same(day, expected, { interval, date: day.date });
    }
  }

  function coverage(part: Range): number {
    let missing = part.to - part.from;
    for (const { from, to } of without([part], excluded)) {
      const times = [from, ...counted({ from, to }).map(({ at }) => at), to];
      missing -= to - from;
      for (const [index, time] of times.slice(1).entries()) {
        const distance = time - (times[index] ?? time);
        if (distance >= LEAST_GAP) missing += distance;
      }
    }
    return 100 * (1 - Number(missing) / Number(part.to - part.from));
  }

  async function eventsAbove(
    interval: { from: string; to: string },
    threshold: number,
    exclusions: 'apply' | 'ignore',
  ) {
    const criteria = { threshold, above_background: null, hysteresis: 0, hold_seconds: null };
    const query = { interval, criteria: { ...criteria, min_duration_seconds: 0, spacing_seconds: 10 } };
    return (await noiseEvents({ ...test, exclusions }, { ...query, limit: 100_000, now: NOW })).events;
  }

  async function compareLimits(range: Range) {
    const interval = intervalOf(range);
    const parts = limitParts(interval, 'Europe/Vienna', LIMITS, 100);
    const found = await againstLimits(store(), {
      interval,
      now: NOW,
      limits: LIMITS,
      parts,
      offset_db: OFFSET_DB,
      judgement: { uncertaintyDb: 0, minMeasuredPercent: 90 },
      isEnergyKnown: true,
      countsEvents: true,
    });
    const starts: string[][] = [];
    for (const { limit_db } of LIMITS) {
      const all = await eventsAbove(interval, limit_db - OFFSET_DB, 'ignore');
      const events = all.filter(({ start }) => !isWithin(excluded, microsOf(start)));
      // if autovacuum analyses the points between the two queries, the second may add their powers in another order
      const expected = events.map(({ leq_db, leq_low_db, sel_db, ...event }) => ({
        ...event,
        leq_db: near(leq_db),
        leq_low_db: near(leq_low_db),
        sel_db: near(sel_db),
      }));
      if (limit_db > 60)
        same(await eventsAbove(interval, limit_db - OFFSET_DB, 'apply'), expected, { interval, limit_db });
      starts.push(events.map(({ start }) => start));
    }
    for (const [index, { from, to, limit }] of parts.entries()) {
      const part = { from: microsOf(from), to: microsOf(to) };
      const limit_db = LIMITS[limit]?.limit_db ?? 0;
      const { point_count, leq_db, leq_low_db } = figuresBy(counted(part));
      const minutes = minutesIn(part, range).flatMap(({ isTouched, samples }) => {
        const levels = samples.flatMap(({ level }) => (level === null ? [] : [level]));
        return isTouched || levels.length === 0 ? [] : [levels];
      });
      const over = minutes.filter((levels) => {
        const above = levels.filter((level) => tenthsOf(level) > -500);
        const power = above.reduce((sum, level) => sum + 10 ** (level / 10), 0) / levels.length;
        return 10 * Math.log10(power) + OFFSET_DB > limit_db + 1e-5;
      });
      const expected = {
        point_count,
        leq_db,
        leq_low_db,
        minute_count: minutes.length,
        minutes_over: over.length,
        event_count: starts[limit]?.filter((start) => start >= from && start < to).length,
        measured_percent: near(coverage(part)),
      };
      same(found.parts[index], expected, { interval, from, to });
    }
  }

  async function compare(rounds: number) {
    await read();
    for (let n = 0; n < rounds; n++) {
      await exclude(n % 2 === 1);
      const range = n === 0 ? { from: START, to: END } : someRange();
      await compareFigures(range);
      await compareBuckets(range);
      await compareDays(range);
      await compareLimits(range);
    }
  }

  it('equal those of the other points, while all rollups are fresh', () => compare(rounds), 120_000);

  it('with late, changed and deleted points that no rollup holds yet, and after the next refresh', async () => {
    const at = () => instantOfMicros(someTime());
    const late = Array.from({ length: 30 }, () => `('${at()}', -5, 440)`);
    await test.sql(`insert into audio_data (time, rms_db, frequency_hz) values ${late.join()}`);
    const hour = at();
    await test.sql(
      `delete from audio_data where time >= '${hour}' and time < '${hour}'::timestamptz + interval '1 h'`,
    );
    await compare(rounds);
    await settle();
    await compare(rounds);
    expect(comparisons).toBeGreaterThan(20 * rounds);
  }, 120_000);

  it('are empty if everything is excluded, and complete if exclusions are ignored', async () => {
    const interval = intervalOf({ from: START, to: END });
    await test.sql(`delete from audio_data_exclusions; insert into audio_data_exclusions (since, until, reason)
      values ('2026-01-01Z', '2027-01-01Z', 'the holidays')`);
    excluded = [];
    expect(await summary(store(), interval)).toMatchObject({ point_count: 0, leq_db: null });
    expect(await series(store(), interval, 86_400)).toMatchObject([1, 2, 3].map(() => ({ point_count: 0 })));
    expect(await worstStretches(store(), interval, 3600, 3)).toEqual([]);
    expect((await summary(test, interval)).point_count).toBe(counted({ from: START, to: END }).length);
  });
});
