// Compares stats.limits with SQL over all the points.
import { beforeAll, expect, it } from 'vitest';
import { assessedStretches } from '../../../src/api/assessed-stretches.ts';
import { limitParts } from '../../../src/api/limit-parts.ts';
import { instantOf, instantOfMicros, microsOf } from '../../../src/contract/instant.ts';
import type { Assess } from '../../../src/contract/judgement.ts';
import { parseLimits } from '../../../src/contract/limits.ts';
import { noiseEvents } from '../../../src/queries/events/noise-events.ts';
import { spacing } from '../../../src/queries/points/spacing.ts';
import { againstLimits } from '../../../src/queries/statistics/against-limits.ts';
import { refreshRollups } from '../../../src/store/refresh-rollups.ts';
import { type Engine, openForAll } from '../../engines.ts';
import { DENSE_DAYS } from '../changing-points.ts';
import type { Comparison } from './figures-of-points.ts';

/** Four days with a clock change in Europe. */
const START = Date.parse('2026-03-27T00:00:00Z');
const LENGTH_MS = 4 * 86_400_000;
const OFFSET_DB = 95;
const NOW = '2026-04-30T00:00:00.000000Z';
const LIMITS = [
  '06-22=66,22-06=58',
  '00-24=65',
  '07-19=70,19-23=62,23-07=55',
  '22:30-05:15=60,12-12:20=66',
  '00-12=45.2,12-24=46', // a level stored as the floor, -50, may be above these limits
  '06-22=66:3,22-06=58:1.5',
  '00-24=72',
];
/** Five times the spacing of the points. */
const LEAST_GAP_SECONDS = 5 * 20.04;

const ZONES = ['Europe/Vienna', 'Asia/Kathmandu', 'America/St_Johns', 'UTC'];
/** The half hours of each day that have points: around the borders of the zones and of the limits. */
const FEW = [0, 11, 12, 20, 24, 36, 39, 43, 44, 46, 47];
const ALL = Array.from({ length: 48 }, (_, n) => n);

const IS_LEVEL = '(rms_db::float8 * 10)::int > -500';

const MICROSECOND = `interval '1 microsecond'`;

/**
 * The full hours or quarter hours of a zone's clocks in a part, with their levels and gaps. Reads the clock a
 * microsecond before the end, because clocks may change at the end.
 */
const stretchesIn = (from: string, to: string, zone: string, minutes: number) => `
  select to_char(start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as start, level_count, power, lowest_power, seconds
  from generate_series(date_bin('15 min', '${from}', '1970-01-01Z'), '${to}', interval '15 min') as start
  cross join lateral (select start + interval '${minutes} min' as until) as ends
  cross join lateral (
    select count(rms_db)::float8 as level_count, sum(power(10::float8, rms_db::float8 / 10)) as power,
      sum(power(10::float8, rms_db::float8 / 10)) filter (where ${IS_LEVEL}) as lowest_power
    from audio_data where time >= start and time < until
  ) as levels
  cross join lateral (
    select coalesce(sum(length), 0)::float8 as seconds
    from (
      select extract(epoch from time - lag(time) over (order by time)) as length
      from (select time from audio_data where time >= start and time < until union all values (start), (until)) as points
    ) as distances where length >= ${LEAST_GAP_SECONDS}
  ) as gaps
  where start >= '${from}' and until <= '${to}' and extract(minute from start at time zone '${zone}')::int % ${minutes} = 0
    and ((until - ${MICROSECOND}) at time zone '${zone}') - (start at time zone '${zone}') = interval '${minutes} min' - ${MICROSECOND}
  order by start`;

const near = (level: number | null) => (level === null ? null : expect.closeTo(level, 5));
const minute = (instant: string, up: bigint) =>
  instantOfMicros(((microsOf(instant) + up) / 60_000_000n) * 60_000_000n);

export function compareLimits(engine: Engine, { chance, isDense, rounds }: Comparison): void {
  const test = openForAll(() => engine.open());
  const random = (below: number) => Math.floor(chance() * below);
  const some = <Value>(values: readonly Value[], fallback: Value) =>
    values[random(values.length)] ?? fallback;
  const halfHours = isDense ? ALL : FEW;
  /** Milliseconds from the start; a random time in a half hour with points. */
  const someTime = () => random(4) * 86_400_000 + some(halfHours, 0) * 1_800_000 + random(1_800_000);

  const settle = () => refreshRollups(test.sql, 100_000);
  beforeAll(async () => {
    await test.sql(DENSE_DAYS);
    await test.sql(`select setseed(${chance()}); insert into audio_data (time, rms_db)
      select time, case when n % 17 > 0 then -50 + 45 * power(random(), 3) end
      from generate_series(0, ${LENGTH_MS / 20_040}) n, lateral (select '${instantOf(START)}'::timestamptz + n * interval '20.04 s') at (time)
      where n % 1000 > 30 and floor(extract(epoch from time) / 1800)::int % 48 in (${halfHours.join()})`);
    await settle();
  });

  interface Judged {
    readonly zone: string;
    readonly assess: Assess;
    readonly judgement: { readonly uncertaintyDb: number; readonly minMeasuredPercent: number };
    readonly penalty_db: number;
  }

  /** The figures of a part that are compared with its limit. */
  async function assessedIn(from: string, to: string, { zone, assess }: Judged) {
    const rows = await test.sql(stretchesIn(from, to, zone, assess === 'hour' ? 60 : 15));
    const seconds = assess === 'hour' ? 3600 : 900;
    const measured = rows.filter((row) => row.power !== null && (seconds - row.seconds) / seconds >= 0.9);
    const level = (sum: number | null, count: number) => (sum ? 10 * Math.log10(sum / count) : null);
    const levels = measured.map((row) => ({
      start: row.start,
      leq: level(row.power, row.level_count) ?? Number.NaN,
      lowest: level(row.lowest_power, row.level_count),
    }));
    const [first] = levels.toSorted((a, b) => b.leq - a.leq);
    const lows = levels.flatMap(({ lowest }) => lowest ?? []);
    return {
      leq: first?.leq ?? null,
      lowest: lows.length > 0 ? Math.max(...lows) : null,
      from: first?.start ?? null,
    };
  }

  /** The figures of one part by their definitions, and what it adds to the sums of its limit. */
  async function expected(
    interval: { from: string; to: string },
    from: string,
    to: string,
    limit_db: number,
    starts: readonly string[],
    judged: Judged,
  ) {
    const [all = {}] = await test.sql(`
      select count(*)::float8 as point_count, count(rms_db)::float8 as level_count,
        sum(power(10::float8, rms_db::float8 / 10)) as power,
        sum(power(10::float8, rms_db::float8 / 10)) filter (where ${IS_LEVEL}) as lowest_power
      from audio_data where time >= '${from}' and time < '${to}'`);
    const [gaps = {}] = await test.sql(`
      select coalesce(sum(seconds), 0)::float8 as seconds
      from (
        select extract(epoch from time - lag(time) over (order by time)) as seconds
        from (
          select time from audio_data where time >= '${from}' and time < '${to}'
          union all values ('${from}'::timestamptz), ('${to}')
        ) as points
      ) as distances where seconds >= ${LEAST_GAP_SECONDS}`);
    const [minutes = {}] = await test.sql(`
      select count(*)::float8 as measured,
        (count(*) filter (where leq + ${OFFSET_DB} > ${limit_db + 1e-5}))::float8 as over,
        (count(*) filter (where lowest + ${OFFSET_DB} > ${limit_db + 1e-5}))::float8 as surely_over
      from (
        select date_bin('1 minute', time, '1970-01-01Z') as minute,
          10 * log(avg(power(10::float8, rms_db::float8 / 10))) as leq,
          10 * log(nullif(avg(case when ${IS_LEVEL} then power(10::float8, rms_db::float8 / 10) else 0 end), 0)) as lowest
        from audio_data where rms_db is not null
          and time >= '${minute(interval.from, 59_999_999n)}' and time < '${minute(interval.to, 0n)}' group by 1
      ) as minutes where minute >= '${from}' and minute < '${to}'`);
    const { point_count, level_count, power, lowest_power } = all;
    const { measured, over, surely_over } = minutes;
    const length = (Date.parse(to) - Date.parse(from)) / 1000;
    const measured_percent = (100 * (length - gaps.seconds)) / length;
    const levelOf = (sum: number | null) => (sum ? 10 * Math.log10(sum / level_count) : null);
    const [leq, lowest] = [levelOf(power), levelOf(lowest_power)];
    const excess = (level: number | null) => (level ?? Number.NEGATIVE_INFINITY) + OFFSET_DB - limit_db;
    const { uncertaintyDb, minMeasuredPercent } = judged.judgement;
    const compared = judged.assess === 'part' ? { leq, lowest, from } : await assessedIn(from, to, judged);
    const side = (level: number | null) => {
      const above = excess(level) + judged.penalty_db;
      if (uncertaintyDb === 0) return Math.round(above * 10) > 0 ? 'over' : 'under';
      return above > uncertaintyDb ? 'over' : above < -uncertaintyDb ? 'under' : 'undecided';
    };
    const isKnown =
      compared.leq !== null &&
      measured_percent >= minMeasuredPercent &&
      (side(compared.leq) !== 'over' || side(compared.lowest) === 'over');
    return {
      penalty_db: judged.penalty_db,
      assessed_db: near(compared.leq === null ? null : compared.leq + OFFSET_DB + judged.penalty_db),
      assessed_from: compared.leq === null ? null : compared.from,
      point_count,
      leq_db: near(leq),
      leq_low_db: near(lowest),
      excess_db: near(leq === null ? null : excess(leq)),
      minute_count: measured,
      minutes_over: surely_over,
      minutes_undecided: over - surely_over,
      event_count: starts.filter((start) => start >= from && start < to).length,
      overload_percent: null,
      measured_percent: near(measured_percent),
      state: isKnown ? side(compared.leq) : 'undecided',
    };
  }

  async function startsAbove(interval: { from: string; to: string }, threshold: number) {
    const criteria = { threshold, above_background: null, hysteresis: 0, hold_seconds: null };
    const { events } = await noiseEvents(test, {
      interval,
      criteria: {
        ...criteria,
        min_duration_seconds: 0,
        spacing_seconds: await spacing(test, interval.to, NOW),
      },
      limit: 100_000,
      now: NOW,
    });
    return events.map(({ start }) => start);
  }

  async function compare() {
    for (let n = 0; n < rounds; n++) {
      const end = () => START + Math.floor((someTime() - 1) / 30_000) * 30_000 + random(2);
      const [a, b] = [end(), end()].sort((x, y) => x - y);
      const interval = { from: instantOf(a ?? 0), to: instantOf((b ?? 0) + 1) };
      const zone = some(ZONES, 'UTC');
      const limits = parseLimits(some(LIMITS, '00-24=65')) ?? [];
      const parts = limitParts(interval, zone, limits, 100);
      const assess = some(['part', 'hour', '15m'] as const, 'part');
      const judgement = {
        uncertaintyDb: some([0, 0, 1.5], 0),
        minMeasuredPercent: some([90, 90, 50], 90),
      };
      const query = {
        assessed: assessedStretches(parts, zone, assess, NOW),
        judgement,
        interval,
        now: NOW,
        limits,
        parts,
        offset_db: OFFSET_DB,
        isEnergyKnown: true,
        countsEvents: true,
      };
      const found = await againstLimits(test, query);
      const about = JSON.stringify({ interval, zone, limits, assess, judgement });
      const all = [];
      const starts = [];
      for (const { limit_db } of limits) starts.push(await startsAbove(interval, limit_db - OFFSET_DB));
      for (const { from, to, limit } of parts) {
        const limit_db = limits[limit]?.limit_db ?? 0;
        all.push({
          from,
          to,
          limit_db,
          ...(await expected(interval, from, to, limit_db, starts[limit] ?? [], {
            zone,
            assess,
            judgement,
            penalty_db: limits[limit]?.penalty_db ?? 0,
          })),
        });
      }
      expect(found.parts, about).toEqual(all);
      for (const [number, limit] of limits.entries()) {
        const its = found.parts.filter((_, at) => parts[at]?.limit === number);
        const sum = (of: (part: (typeof its)[number]) => number | null) =>
          its.reduce((total, part) => total + (of(part) ?? 0), 0);
        expect(found.limits[number], about).toMatchObject({
          ...limit,
          point_count: sum(({ point_count }) => point_count),
          minute_count: sum(({ minute_count }) => minute_count),
          minutes_over: sum(({ minutes_over }) => minutes_over),
          minutes_undecided: sum(({ minutes_undecided }) => minutes_undecided),
          event_count: sum(({ event_count }) => event_count),
          overload_percent: null,
          part_count: its.length,
          parts_over: its.filter(({ state }) => state === 'over').length,
          parts_undecided: its.filter(({ state }) => state === 'undecided').length,
        });
      }
    }
  }

  it('while all rollups are fresh', () => compare());

  it('with late, changed and deleted points that no rollup holds yet, and after the next refresh', async () => {
    const at = () => instantOf(START + someTime());
    const late = Array.from({ length: 40 }, () => `('${at()}', -5)`);
    await test.sql(`insert into audio_data (time, rms_db) values ${late.join()}`);
    const hour = at();
    await test.sql(
      `delete from audio_data where time >= '${hour}' and time < '${hour}'::timestamptz + interval '1 h'`,
    );
    await test.sql(
      `update audio_data set rms_db = -1 where time = (select max(time) from audio_data where time < '${at()}')`,
    );
    await compare();
    await settle();
    await compare();
  });
}
