// The definition of noise events, point by point, and queries that page through them.
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { instantOfMicros, microsOf } from '../../../src/contract/instant.ts';
import type { AllEventsQuery } from '../../../src/operations/events/all-runs.ts';
import type { Criteria } from '../../../src/operations/events/event-criteria.ts';
import type { NoiseEvent } from '../../../src/operations/events/list/contract.ts';
import { type NoiseEventsQuery, noiseEvents } from '../../../src/operations/events/list/query.ts';
import { SEARCH_LIMITS, type SearchLimits } from '../../../src/operations/events/search-runs-back.ts';
import { eventSeries } from '../../../src/operations/events/series/query.ts';
import type { Rank } from '../../../src/operations/events/top/contract.ts';
import { type RankPosition, topEvents } from '../../../src/operations/events/top/query.ts';
import { refreshRollups } from '../../../src/rollups/refresh-rollups.ts';
import type { Engine, TestDatabase } from '../../engines.ts';
import { insertPoints } from '../../service.ts';

export interface Sample {
  /** Microseconds since 1970. */
  readonly at: bigint;
  readonly level: number | null;
  readonly frequency: number | null;
}

const HALF_HOUR = 1_800_000_000n;
/** Steps before each query of a table, in turn. */
const ARRANGEMENTS = ['', 'refresh', '', 'columnstore', ''];
export const micros = (seconds: number) => BigInt(Math.round(seconds * 1e6));
const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
const energyMean = (levels: readonly number[]) => 10 * Math.log10(mean(levels.map((l) => 10 ** (l / 10))));

/** The energy mean with zero energy for levels that round to -50.0 dB; null if there is no other level. */
function lowestMean(levels: readonly number[]): number | null {
  const powers = levels.map((l) => (l < -49.95 ? 0 : 10 ** (l / 10)));
  return levels.every((l) => l < -49.95) ? null : 10 * Math.log10(mean(powers));
}

/** L90 of a half hour: nine tenths of its levels are at or above L90. Null without levels. */
function l90Of(samples: readonly Sample[], start: bigint): number | null {
  const within = samples.filter(({ at, level }) => at >= start && at < start + HALF_HOUR && level !== null);
  const levels = within.map(({ level }) => level ?? 0).sort((a, b) => a - b);
  return levels[Math.ceil(levels.length / 10) - 1] ?? null;
}

/** The lower of L90 of the half hour before and the median L90 of the same half hour of the seven days before. */
function backgroundOf(samples: readonly Sample[], at: bigint): number | null {
  const start = (at / HALF_HOUR) * HALF_HOUR;
  const days = [1n, 2n, 3n, 4n, 5n, 6n, 7n]
    .flatMap((day) => l90Of(samples, start - day * DAY) ?? [])
    .sort((a, b) => a - b);
  const middle = days.slice((days.length - 1) >> 1, (days.length >> 1) + 1);
  const usual = days.length > 0 ? [mean(middle)] : [];
  const known = [...usual, l90Of(samples, start - HALF_HOUR) ?? []].flat();
  return known.length > 0 ? Number(Math.min(...known).toFixed(2)) : null;
}

const TEN_MINUTES = 600_000_000n;
const DAY = 86_400_000_000n;

interface Reference {
  readonly samples: readonly Sample[];
  /** Oldest first. */
  readonly periods: readonly RecorderPeriod[];
}

/** The settings of a recorder from a time on, in microseconds since 1970. */
interface RecorderPeriod {
  readonly since: bigint;
  readonly interval_ms: number | null;
}

/** The interval of the period at a time; null if it is unknown. */
const intervalAt = (periods: readonly RecorderPeriod[], at: bigint): number | null =>
  (periods.findLast(({ since }) => since <= at)?.interval_ms ?? 0) / 1000 || null;

/** The definition, point by point. Samples are in order of time. */
function reference(
  { samples, periods }: Reference,
  { interval, criteria, now }: Pick<NoiseEventsQuery, 'interval' | 'criteria' | 'now'>,
): NoiseEvent[] {
  const { hysteresis, hold_seconds, min_duration_seconds } = criteria;
  const spacingAt = (at: bigint) => intervalAt(periods, at) ?? criteria.spacing_seconds ?? 0;
  const holdOf = (at: bigint) => micros(hold_seconds ?? Math.min(Math.max(1, 2 * spacingAt(at)), 3600));
  const [from, to] = [interval.from, interval.to].map((bound) => (bound === null ? null : microsOf(bound)));
  const thresholdAt = (at: bigint) =>
    criteria.threshold ?? (backgroundOf(samples, at) ?? 999) + (criteria.above_background ?? 0);
  const exceeds = ({ level }: Sample, limit: number) =>
    level !== null && Math.fround(level) > Math.fround(limit);
  const floors = new Map<bigint, number>();
  const floorAt = (at: bigint) => {
    const floor = floors.get(at / HALF_HOUR) ?? thresholdAt(at) - hysteresis;
    floors.set(at / HALF_HOUR, floor);
    return floor;
  };
  const above = samples.filter((sample) => exceeds(sample, floorAt(sample.at)));
  const isInside = ({ at }: Sample) => (from == null || at >= from) && (to == null || at < to);
  const runs: Sample[][] = [];
  for (const sample of above.filter(isInside)) {
    const run = runs.at(-1);
    const last = run?.at(-1)?.at;
    if (run && last !== undefined && sample.at - last <= holdOf(last)) run.push(sample);
    else runs.push([sample]);
  }
  return runs.toReversed().flatMap((run) => {
    const [first, last] = [run[0]?.at ?? 0n, run.at(-1)?.at ?? 0n];
    const start = run.find((sample) => exceeds(sample, thresholdAt(sample.at)))?.at;
    const after = samples.find(({ at }) => at > last)?.at;
    const hold = holdOf(last);
    const followed = after !== undefined && after - last <= hold;
    const next = above.find(({ at }) => at > last);
    if (start === undefined) return [];
    const alone = last + micros(spacingAt(start));
    const end = followed ? after : next && next.at < alone ? next.at : alone;
    if (end - start < micros(min_duration_seconds)) return [];
    const within = samples.filter(({ at }) => at >= start && (at < end || at <= last));
    const levels = within.flatMap(({ level }) => (level === null ? [] : [level]));
    const peak_db = Math.max(...levels);
    const tones = within.flatMap(({ frequency }) => (frequency === null ? [] : [frequency]));
    const count = (tone: number) => tones.filter((other) => other === tone).length;
    const background_db = backgroundOf(samples, start);
    const duration_seconds = Number(end - start) / 1e6;
    const lowest = lowestMean(levels);
    const before = above.findLast(({ at }) => at < first);
    return {
      start: instantOfMicros(start),
      end: instantOfMicros(end),
      duration_seconds,
      peak_db,
      peak_at: instantOfMicros(within.find(({ level }) => level === peak_db)?.at ?? 0n),
      leq_db: expect.closeTo(energyMean(levels), 4),
      leq_low_db: lowest === null ? null : expect.closeTo(lowest, 4),
      sel_db:
        duration_seconds > 0
          ? expect.closeTo(energyMean(levels) + 10 * Math.log10(duration_seconds), 4)
          : null,
      point_count: within.length,
      dominant_frequency_hz: tones.sort((a, b) => count(b) - count(a) || a - b)[0] ?? null,
      under_range: levels.filter((l) => l < -49.95).length,
      over_range: levels.filter((l) => l > -0.05).length,
      threshold: expect.closeTo(thresholdAt(start), 6),
      background_db,
      background_at_floor: background_db === -50,
      sel_complete: Math.round(10 * (peak_db - thresholdAt(start) + hysteresis)) >= 100,
      truncated_start: before !== undefined && !isInside(before) && first - before.at <= holdOf(before.at),
      truncated_end: next !== undefined && !isInside(next) && next.at - last <= hold,
      open: after === undefined && microsOf(now) - last <= hold,
    };
  });
}

/** The bounds of buckets of ten minutes. The last bucket may be shorter. */
function cutsOf({ from, to }: { from: string; to: string }): string[] {
  const cuts: string[] = [];
  for (let cut = microsOf(from); cut < microsOf(to); cut += TEN_MINUTES) cuts.push(instantOfMicros(cut));
  return [...cuts, to];
}

function countsOf(events: readonly NoiseEvent[], interval: { from: string; to: string }) {
  const highest = (some: readonly NoiseEvent[]) =>
    some.length > 0 ? Math.max(...some.map(({ peak_db }) => peak_db)) : null;
  const peak_db = highest(events);
  const cuts = cutsOf(interval);
  return {
    event_count: events.length,
    peak_db,
    peak_at: events.findLast((event) => event.peak_db === peak_db)?.peak_at ?? null,
    buckets: cuts.slice(1).map((to, index) => {
      const within = events.filter(({ start }) => start >= (cuts[index] ?? '') && start < to);
      return [within.length, highest(within)];
    }),
  };
}

function rankedBy(events: readonly NoiseEvent[], by: Rank): NoiseEvent[] {
  const value = (event: NoiseEvent) => (by === 'level' ? event.peak_db : event.duration_seconds);
  return events.toSorted((a, b) => value(b) - value(a) || (a.start < b.start ? -1 : 1));
}

const level = fc.constantFrom(null, -50, -40, -30.1, -20, -12.1, -10.2, -10.1, -10, -9.9, -1, 0);
interface Step {
  readonly step: number;
  readonly level: number | null;
  readonly frequency: number | null;
}
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    step: fc.constantFrom(0, 0.1, 0.1, 0.5, 1, 1, 1.000001, 2, 10, 100),
    level,
    frequency: fc.constantFrom(null, 100, 200),
  }),
  { maxLength: 40 },
);
/** A recorder whose spacing is changed now and then, with jitter, gaps and equal times. */
const changingSteps: fc.Arbitrary<Step[]> = fc
  .array(
    fc.record({
      spacing: fc.constantFrom(2, 2, 0.1, 1, 30),
      jitter: fc.constantFrom(0, 0, 0.02),
      gap: fc.constantFrom(0, 0, 5, 3000),
      count: fc.integer({ min: 3, max: 60 }),
      levels: fc.array(fc.tuple(level, fc.integer({ min: 1, max: 20 })), { minLength: 1, maxLength: 5 }),
    }),
    { maxLength: 5 },
  )
  .map((stretches) =>
    stretches.flatMap(({ spacing, jitter, gap, count, levels }) => {
      const all = levels.flatMap(([level, times]) => new Array<number | null>(times).fill(level));
      return Array.from({ length: count }, (_, n) => ({
        step: n % 13 === 5 ? 0 : spacing * (1 + jitter * ((n * 7) % 5) * 0.25) + (n === 0 ? gap : 0),
        level: all[n % all.length] ?? null,
        frequency: null,
      }));
    }),
  );
/** Levels of the eight days before: their half hours may be the background. */
const earlierDays = fc.array(
  fc.record({ days: fc.integer({ min: 1, max: 8 }), seconds: fc.integer({ min: 0, max: 5400 }), level }),
  { maxLength: 20 },
);
/** Starts, as the index of a point, and intervals. */
const recorders = fc.uniqueArray(
  fc.record({ from: fc.integer({ min: 0, max: 60 }), interval_ms: fc.constantFrom(null, 100, 2000, 30_000) }),
  { maxLength: 4, selector: ({ from }) => from },
);
const criteria: fc.Arbitrary<Criteria> = fc.record({
  threshold: fc.constantFrom(-10, -10.1, -10.2, -20, -1, -50, 0),
  above_background: fc.constant(null),
  hysteresis: fc.constantFrom(0, 0, 0.1, 2, 2.1, 10, 20),
  hold_seconds: fc.constantFrom(null, null, null, 0, 0.1, 1, 1, 2, 10, 3600),
  min_duration_seconds: fc.constantFrom(0, 0, 0, 0.1, 1, 2.1, 15),
  spacing_seconds: fc.constantFrom(null, 0.1, 0.1, 1, 3),
});
const aboveBackground = fc
  .tuple(criteria, fc.constantFrom(3, 9.9, 20, 40))
  .map(([others, above_background]): Criteria => ({ ...others, threshold: null, above_background }));
const searchOptions = fc.record({
  from: fc.integer({ min: 0, max: 50 }),
  to: fc.integer({ min: 1, max: 60 }),
  limit: fc.constantFrom(1, 2, 3, 1000),
  slab: fc.constantFrom(0.3, 5, 60, 86_400),
  firstPoints: fc.constantFrom(1, 3, 1000),
  late: fc.constantFrom(-1, 0, 0.5, 1, 5, 5000),
});

export function searches(database: TestDatabase) {
  async function store(samples: readonly Sample[]) {
    const rows = samples.map(({ at, level, frequency }) => [instantOfMicros(at), level, frequency] as const);
    if (rows.length > 0) await database.sql(insertPoints(rows));
  }

  /** Buckets of ten minutes, and facts about all of them. */
  async function counted({ interval, criteria, now }: AllEventsQuery) {
    const { buckets, ...of } = await eventSeries(database, { interval, criteria, now }, cutsOf(interval));
    return { ...of, buckets: buckets.map(({ event_count, peak_db }) => [event_count, peak_db]) };
  }

  /** All pages. */
  async function ranked(query: NoiseEventsQuery & AllEventsQuery, by: Rank): Promise<NoiseEvent[]> {
    const events: NoiseEvent[] = [];
    let after: RankPosition | undefined;
    do {
      const { limit } = query;
      const page = await topEvents(database, query, { by, limit, after });
      expect(page.events.length).toBeLessThanOrEqual(limit);
      events.push(...page.events);
      after = page.next ?? undefined;
    } while (after);
    return events;
  }

  /** All pages. */
  async function follow(query: NoiseEventsQuery, limits: Partial<SearchLimits> = {}): Promise<NoiseEvent[]> {
    const events: NoiseEvent[] = [];
    let before: string | undefined;
    do {
      const page = await noiseEvents(database, { ...query, before }, { ...SEARCH_LIMITS, ...limits });
      expect(page.events.length).toBeLessThanOrEqual(query.limit);
      if (page.next !== null) expect(page.events).toHaveLength(query.limit);
      events.push(...page.events);
      before = page.next ?? undefined;
    } while (before !== undefined);
    return events;
  }

  return { store, counted, ranked, follow };
}

/** Compares random tables and queries with the definition, this many of each kind. */
export function compareWithDefinition(
  engine: Engine,
  database: TestDatabase,
  tables: number,
  seed: number,
): void {
  const { store, counted, ranked, follow } = searches(database);
  let slot = 0;
  beforeAll(() => database.sql('truncate audio_data; truncate audio_data_periods'));

  const check = (criteria: fc.Arbitrary<Criteria>, stretch: number, of = steps) =>
    fc.assert(
      fc.asyncProperty(
        of,
        earlierDays,
        recorders,
        criteria,
        searchOptions,
        async (steps, days, recorders, criteria, where) => {
          const base = microsOf('2026-01-01T00:20:00.000000Z') + BigInt(slot++) * 20n * DAY;
          let at = base;
          const samples = steps.map(({ step, level, frequency }): Sample => {
            at += micros(step * stretch);
            return { at, level, frequency };
          });
          const earlier = days
            .map(({ days, seconds, level }): Sample => {
              return { at: base - BigInt(days) * DAY + micros(seconds), level, frequency: null };
            })
            .sort((a, b) => (a.at < b.at ? -1 : 1));
          await store([...earlier, ...samples]);
          const periods = recorders
            .map(({ from, interval_ms }) => ({ since: samples[from]?.at ?? at, interval_ms }))
            .filter(({ since }, index, all) => all.findIndex((each) => each.since === since) === index)
            .sort((a, b) => (a.since < b.since ? -1 : 1));
          await keepPeriods([{ since: base - 10n * DAY, interval_ms: null }, ...periods]);
          await arrange(ARRANGEMENTS[slot % ARRANGEMENTS.length] ?? '', base);
          const bound = (index: number) => samples[index]?.at;
          const from = bound(where.from) ?? base - HALF_HOUR;
          const to = bound(where.to) ?? at + micros(4000);
          const query = {
            interval: { from: instantOfMicros(from), to: instantOfMicros(from < to ? to : at + 1n) },
            criteria,
            limit: where.limit,
            now: instantOfMicros(at + micros(where.late)),
          };
          const events = reference({ samples: [...earlier, ...samples], periods }, query);
          const slabs = { firstSlabSeconds: where.slab * stretch, firstPoints: where.firstPoints };
          expect(await follow(query, slabs)).toEqual(events);
          expect(await counted(query)).toEqual(countsOf(events, query.interval));
          expect(await ranked(query, 'duration')).toEqual(rankedBy(events, 'duration'));
          expect(await ranked(query, 'level')).toEqual(rankedBy(events, 'level'));
        },
      ),
      { numRuns: tables, seed },
    );

  async function keepPeriods(periods: readonly RecorderPeriod[]) {
    const rows = periods.map(({ since, interval_ms }) => `('${instantOfMicros(since)}', ${interval_ms})`);
    await database.sql(`delete from audio_data_periods`);
    await database.sql(`insert into audio_data_periods (since, interval_ms) values ${rows.join()}`);
  }

  async function arrange(what: string, from: bigint) {
    if (what === 'refresh') await refreshRollups(database.sql, 100_000);
    if (what !== 'columnstore' || engine.name !== 'TimescaleDB') return;
    const since = instantOfMicros(from - 10n * DAY);
    await database.sql(
      `select compress_chunk(c, true) from show_chunks('audio_data', newer_than => '${since}'::timestamptz) c`,
    );
  }

  it('with a threshold', () => check(criteria, 1));

  it('above the background', () => check(aboveBackground, 20));

  it('with a changing spacing', () => check(criteria, 1, changingSteps));
}
