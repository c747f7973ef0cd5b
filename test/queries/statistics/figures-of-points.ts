// Compares every figure composed of rollups and points with its definition over the points themselves.
import { beforeAll, expect, it } from 'vitest';
import { localDays, localHours, localMidnights } from '../../../src/api/local-days.ts';
import { instantOf, instantOfMicros, microsOf, type Range } from '../../../src/contract/instant.ts';
import { noiseEvents } from '../../../src/queries/events/noise-events.ts';
import { days } from '../../../src/queries/statistics/days.ts';
import { quality } from '../../../src/queries/statistics/quality.ts';
import { localSeries, series } from '../../../src/queries/statistics/series.ts';
import { summary } from '../../../src/queries/statistics/summary.ts';
import { refreshRollups } from '../../../src/store/refresh-rollups.ts';
import { type Engine, openForAll } from '../../engines.ts';
import { insertPoints } from '../../service.ts';
import { DENSE_DAYS } from '../changing-points.ts';

const DAY_MS = 86_400_000;
/** The start of four old days with a clock change in Europe, and of the latest four, which keep all bucket lengths. */
const STARTS = [Date.parse('2026-03-27T00:00:00Z'), Math.floor(Date.now() / DAY_MS) * DAY_MS - 4 * DAY_MS];
const LENGTH_MS = 4 * DAY_MS;

/** The half hours of each day that have points: around the midnights of the zones below. */
const FEW = [0, 2, 5, 36, 44, 46, 47];
/** Half hours of the old days that all have points: from 06:00 to 06:00 in Vienna, 23 hours. */
const WHOLE_DAY = [58, 104] as const;
const ZONES = ['Europe/Vienna', 'Asia/Kathmandu', 'America/St_Johns', 'UTC'];

/** Levels at the bounds of stored levels, or just beside rounding borders. */
const ENDS = [null, -50, -50, -49.96, -49.94, -0.06, -0.04, 0];

export interface Comparison {
  chance(): number;
  /** Points in all half hours. */
  isDense: boolean;
  /** How many windows are compared each time. */
  rounds: number;
}

export interface Sample {
  readonly at: bigint;
  readonly level: number | null;
  /**
   * The level as written: a real that reads -10.2 is -10.19999981. A mean never leaves the range of the written levels.
   */
  readonly written: number | null;
  readonly frequency: number | null;
}

const near = (level: number | null) => (level === null ? null : expect.closeTo(level, 8));
/** To tenths, halves to even, as PostgreSQL rounds. */
export const tenthsOf = (level: number) => {
  const [low, rest] = [Math.floor(level * 10), level * 10 - Math.floor(level * 10)];
  return rest === 0.5 ? low + Math.abs(low % 2) : Math.round(level * 10);
};

/** The figures by their definitions. */
export function figuresBy(samples: readonly Sample[]) {
  const levels = samples.flatMap(({ level }) => (level === null ? [] : [level]));
  const tenths = levels.map(tenthsOf).sort((a, b) => a - b);
  const under_range = tenths.filter((level) => level === -500).length;
  const sum = levels.reduce((sum, level) => sum + 10 ** (level / 10), 0);
  const above = levels.reduce((sum, level) => (tenthsOf(level) > -500 ? sum + 10 ** (level / 10) : sum), 0);
  const written = samples.flatMap(({ written }) => (written === null ? [] : [written]));
  const [lowest, highest] = [Math.min(...written), Math.max(...written)];
  const mean = (power: number) => Math.min(10 * Math.log10(power / levels.length), highest);
  const leq = levels.length > 0 ? Math.max(mean(sum), lowest) : null;
  const exceeded = (percent: number) =>
    levels.length > 0
      ? (tenths[Math.ceil((levels.length * (100 - percent)) / 100) - 1] ?? Number.NaN) / 10 + 0
      : null;
  const counts = new Map<number, number>();
  for (const { frequency } of samples)
    if (frequency !== null) counts.set(frequency, (counts.get(frequency) ?? 0) + 1);
  const [dominant] = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return {
    point_count: samples.length,
    leq_db: near(leq),
    leq_low_db: levels.length > under_range ? near(mean(above)) : null,
    exceeded: { l10_db: exceeded(10), l50_db: exceeded(50), l90_db: exceeded(90) },
    dominant_frequency_hz: dominant?.[0] ?? null,
    under_range,
    over_range: tenths.filter((level) => level === 0).length,
    level_count: levels.length,
  };
}

/** The level of a day from the samples of its parts, each with a penalty, weighted by their nominal hours. */
function ratedBy(
  parts: readonly (readonly Sample[])[],
  { nominalHours, penaltiesDb }: { nominalHours: readonly number[]; penaltiesDb: readonly number[] },
) {
  const powers = nominalHours.map((hours, part) => {
    const levels = (parts[part] ?? []).flatMap(({ level }) => level ?? []);
    const mean = levels.reduce((sum, level) => sum + 10 ** (level / 10), 0) / levels.length;
    return hours === 0 ? 0 : hours * mean * 10 ** ((penaltiesDb[part] ?? 0) / 10);
  });
  const sum = powers.reduce((all, power) => all + power, 0) / 24;
  return Number.isNaN(sum) ? null : expect.closeTo(10 * Math.log10(sum), 6);
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
    const nextAfter = (ms: number) =>
      ms + (random(1500) === 0 && !isWhole(ms) ? random(9_000_000) : random(40_000));
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

  let samples: Sample[] = [];

  const settle = () => refreshRollups(test.sql, 100_000);
  async function read() {
    const rows = await test.sql(
      `select (extract(epoch from time) * 1000000)::bigint::text as at, rms_db::float8 as level, rms_db as written, frequency_hz as frequency
       from audio_data order by time`,
    );
    samples = rows.map(({ at, ...row }) => ({ at: BigInt(at), ...row }));
  }
  /** The points of `[from, to)`, by bisection. */
  function within({ from, to }: Range) {
    const indexAt = (time: bigint) => {
      let [low, high] = [0, samples.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((samples[middle]?.at ?? 0n) < time) low = middle + 1;
        else high = middle;
      }
      return low;
    };
    return samples.slice(indexAt(from), indexAt(to));
  }
  const clip = ({ from, to }: Range, whole: Range): Range => ({
    from: from > whole.from ? from : whole.from,
    to: to < whole.to ? to : whole.to,
  });

  beforeAll(async () => {
    await test.sql(DENSE_DAYS);
    for (const start of STARTS) await test.sql(insertPoints(rowsFrom(start)));
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

  async function compareSummary(range: Range, interval: { from: string; to: string }) {
    const { level_count, under_range, over_range, exceeded, ...expected } = figuresBy(within(range));
    expect(await summary(test, interval), JSON.stringify(interval)).toMatchObject({
      ...expected,
      ...exceeded,
    });
    const percent = (count: number) => (level_count > 0 ? (100 * count) / level_count : null);
    expect(await quality(test, interval, instantOf(Date.now()))).toMatchObject({
      at_floor_percent: percent(under_range),
      at_ceiling_percent: percent(over_range),
    });
  }

  async function compareSeries(range: Range, interval: { from: string; to: string }, seconds: number) {
    const width = BigInt(seconds) * 1_000_000n;
    for (const { time, ...bucket } of await series(test, interval, seconds)) {
      const from = microsOf(time);
      const { level_count, under_range, over_range, exceeded, ...expected } = figuresBy(
        within(clip({ from, to: from + width }, range)),
      );
      expect(bucket, JSON.stringify({ interval, seconds, time })).toMatchObject({ ...expected, ...exceeded });
    }
  }

  async function compareLocalSeries(range: Range, interval: { from: string; to: string }, cuts: string[]) {
    const buckets = await localSeries(test, interval, cuts);
    expect(buckets.map(({ time }) => time)).toEqual(cuts.slice(0, -1));
    for (const [index, { time, ...bucket }] of buckets.entries()) {
      const whole = { from: microsOf(time), to: microsOf(cuts[index + 1] ?? '') };
      const { level_count, under_range, over_range, exceeded, ...expected } = figuresBy(
        within(clip(whole, range)),
      );
      expect(bucket, JSON.stringify({ interval, cuts, time })).toMatchObject({ ...expected, ...exceeded });
    }
  }

  async function compareDays(
    range: Range,
    interval: { from: string; to: string },
    zone: string,
    tenths = random(14),
  ) {
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
    const rating = { nominalHours, penaltiesDb };
    const found = await days(test, { interval, localDays: local, rating, threshold: null, now });
    const until = range.to < microsOf(now) ? range.to : microsOf(now);
    const minutesIn = ({ from, to }: Range) => {
      const all = [];
      const first = (range.from + 59_999_999n) / 60_000_000n;
      for (let minute = first; (minute + 1n) * 60_000_000n <= until; minute++)
        if (minute * 60_000_000n >= from && minute * 60_000_000n < to) all.push(minute);
      return all;
    };
    const held = new Set(within(range).map(({ at }) => at / 60_000_000n));
    const parts = local.map(({ starts }) =>
      [0, 1, 2].map((part) => {
        const whole = { from: microsOf(starts[part] ?? ''), to: microsOf(starts[part + 1] ?? '') };
        const minutes = minutesIn(whole);
        return {
          samples: within(clip(whole, range)),
          minutes: minutes.length,
          measured: minutes.filter((minute) => held.has(minute)).length,
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
      const rated = ratedBy(
        of.map((parts) => parts.flatMap(({ samples }) => samples)),
        rating,
      );
      const isOfDirective = evening_start === 18 && penaltiesDb[1] === 5;
      return {
        ...all,
        rated_db: rated,
        lden_db: isOfDirective ? rated : null,
        event_count: null,
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
    const about = JSON.stringify({ interval, zone, now });
    for (const [index, day] of found.days.entries())
      expect(day, about).toMatchObject(expected([parts[index] ?? []]));
    expect(found.overall, about).toMatchObject(expected(parts));
    const whole = parts.filter((_, index) => {
      const {
        starts: [from, , , to],
      } = local[index] ?? expect.unreachable();
      const isMeasured = (parts[index] ?? []).every(({ minutes, measured }) => measured >= 0.9 * minutes);
      return microsOf(from) >= range.from && microsOf(to) <= until && isMeasured;
    });
    expect(found.whole_days, about).toMatchObject({ days: whole.length, ...expected(whole) });
    return whole.length;
  }

  async function compareEvents(interval: { from: string; to: string }, hold_seconds: number) {
    const criteria = { threshold: -20, above_background: null, hysteresis: 20, hold_seconds };
    const { events } = await noiseEvents(test, {
      interval,
      criteria: { ...criteria, min_duration_seconds: 0, spacing_seconds: 20 },
      limit: 20,
      now: instantOf(Date.now()),
    });
    for (const { start, end, ...event } of events) {
      const { level_count, exceeded, ...expected } = figuresBy(
        within({ from: microsOf(start), to: microsOf(end) }),
      );
      expect(event, start).toMatchObject(expected);
    }
    return events.map(({ duration_seconds }) => duration_seconds);
  }

  /** Compares in random windows. The first covers all old days. */
  async function compare(isFresh = false) {
    await read();
    for (let n = 0; n < rounds; n++) {
      const [start = 0] = STARTS;
      const all = { from: BigInt(start) * 1000n, to: BigInt(start + LENGTH_MS) * 1000n };
      const range = n === 0 ? all : someWindow();
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
    }
  }

  it('while all rollups are fresh', async () => {
    await compare(true);
    const [start = 0] = STARTS;
    const interval = { from: instantOf(start), to: instantOf(start + LENGTH_MS) };
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
