// Compares answers from rollups with answers from all points, in random windows.
import { expect } from 'vitest';
import { ceilTo, floorTo, instantOfMicros, type Range } from '../../src/contract/instant.ts';
import { sql } from '../../src/database/drizzle.ts';
import { rollupsOf } from '../../src/database/rollups.ts';
import { loudPoints } from '../../src/operations/events/loud/query.ts';
import { frequencies } from '../../src/operations/stats/frequencies/query.ts';
import { gapsIn } from '../../src/operations/stats/gaps.ts';
import { series } from '../../src/operations/stats/series/query.ts';
import {
  histogramFrom,
  histogramIn,
  selectHistogram,
  summary,
} from '../../src/operations/stats/summary/query.ts';
import { statisticsOf } from '../../src/rollups/figures.ts';
import type { HistogramRow } from '../../src/rollups/histogram.ts';
import { answer } from '../../src/rollups/rollup-planner.ts';
import { sourcesOf } from '../../src/rollups/source-scans.ts';
import type { Store } from '../../src/rollups/store.ts';
import { noRollups } from '../no-rollups.ts';
import { DAYS, FEW, START } from './changing-points.ts';

/** @param isWhole whether windows are of whole minutes, as history needs */
export function comparisons(test: Store, random = Math.random, isWhole = false) {
  const someRange = () => (isWhole ? inMinutes(someWindow()) : someWindow());
  const inMinutes = ({ from, to }: Range) => ({
    from: floorTo(from, 60_000_000n),
    to: ceilTo(to, 60_000_000n),
  });
  const micros = (ms: number) => BigInt(ms) * 1000n + BigInt(Math.floor(random() * 1000));
  /** Any window, often with an end on the border of an hour or a day. */
  function someWindow() {
    const end = () => {
      const day = START - 86_400_000 + Math.floor(random() * (DAYS + 2)) * 86_400_000;
      const half = FEW[Math.floor(random() * FEW.length)] ?? 0;
      const at = day + (random() < 0.5 ? half * 1_800_000 + random() * 1_800_000 : random() * 86_400_000);
      const width = [1, 300_000, 3_600_000, 86_400_000][Math.floor(random() * 4)] ?? 1;
      return width === 1 ? micros(Math.floor(at)) : BigInt(Math.floor(at / width) * width) * 1000n;
    };
    const [from, to] = [end(), end() + BigInt(Math.floor(random() * 3)) * 86_400_000_000n];
    if (random() < 0.2) return { from, to: from + BigInt(1 + Math.floor(random() * 7.2e9)) };
    return from < to ? { from, to } : { from: to, to: from + 1n };
  }
  const raw = (store: Store): Store => ({ ...store, rollups: noRollups() });

  /** The last digits of energy means may differ. */
  function expectSame<Figures extends { leq_db: number | null; leq_low_db?: number | null }>(
    actual: Figures | undefined,
    expected: Figures,
    about: string,
  ) {
    const near = (level: number | null) => (level === null ? null : expect.closeTo(level, 8));
    const { leq_db, leq_low_db, ...rest } = expected;
    const low = leq_low_db === undefined ? {} : { leq_low_db: near(leq_low_db) };
    expect(actual, about).toEqual({ ...rest, ...low, leq_db: near(leq_db) });
  }

  /** Asserts that the summary from the rollups equals that of the points. */
  async function same(
    interval: { from: string; to: string },
    about = JSON.stringify(interval),
    store: Store = test,
  ) {
    expectSame(await summary(store, interval), await summary(raw(test), interval), about);
  }
  /** Reads rollups and points in one statement, so that both see the same points. */
  async function compareAtOnce(store: Store = test) {
    const range = someRange();
    const interval = { from: instantOfMicros(range.from), to: instantOfMicros(range.to) };
    const points = selectHistogram(
      sourcesOf({ raw: [range], rollups: [], history: [{ minutes: 1, ranges: [range] }] }, false, false),
    );
    let tried = 0;
    let composed = false;
    const found = await answer(store, {
      ...histogramIn(interval),
      select(sources) {
        tried++;
        composed = sources.stored.length > 0;
        return sql`select 'composed' as way, composed.* from (${selectHistogram(sources)}) as composed
          union all select 'raw', raw.* from (${points}) as raw`;
      },
      async answer(rows: readonly (HistogramRow & { way: string })[], stored) {
        const of = (way: string) => rows.filter((row) => row.way === way);
        const all = await histogramFrom(of('composed'), stored);
        return [statisticsOf(all), statisticsOf(await histogramFrom(of('raw')))] as const;
      },
    });
    // a scan of the points alone, the last resort, is only as exact as TimescaleDB's scans
    if (composed) expectSame(...found, JSON.stringify(interval));
    return { tried, composed };
  }

  /**
   * Compares in at least `count` windows, each beside one round of `others`. Continues until one answer was composed
   * and another needed a retry.
   */
  async function compareBeside(count: number, others: readonly (() => Promise<unknown>)[], store?: Store) {
    const outcomes: Awaited<ReturnType<typeof compareAtOnce>>[] = [];
    const saw = (what: (outcome: (typeof outcomes)[number]) => boolean) => outcomes.some(what);
    while (outcomes.length < count || !saw(({ composed }) => composed) || !saw(({ tried }) => tried > 1)) {
      const [outcome] = await Promise.all([compareAtOnce(store), ...others.map((other) => other())]);
      outcomes.push(outcome);
    }
    return outcomes;
  }

  /** Compares while nothing changes. */
  async function compare(count: number) {
    for (let n = 0; n < count; n++) {
      const range = someRange();
      const interval = { from: instantOfMicros(range.from), to: instantOfMicros(range.to) };
      await same(interval);
      const days = Number(range.to - range.from) / 86_400_000_000;
      const buckets = rollupsOf('total')
        .map(({ seconds }) => seconds)
        .filter((seconds) => days * 86_400 < 3000 * seconds);
      const bucket = buckets[n % buckets.length] ?? 1;
      const actual = await series(test, interval, bucket);
      for (const [at, expected] of (await series(raw(test), interval, bucket)).entries())
        expectSame(actual[at], expected, JSON.stringify({ interval, bucket }));
      await others[n % others.length]?.({ interval, bucket });
    }
  }

  interface Window {
    interval: { from: string; to: string };
    bucket: number;
    store?: Store;
  }
  /** The other queries that rollups answer, one for each window. */
  const others = [
    async ({ interval, bucket, store = test }: Window) =>
      expect(await frequencies(store, interval, bucket), JSON.stringify({ interval, bucket })).toEqual(
        await frequencies(raw(test), interval, bucket),
      ),
    async ({ interval, store = test }: Window) => {
      const least = [0.001, 0.5, 2, 30, 43.456789, 100, 1000, 5000][Math.floor(random() * 8)] ?? 10;
      expect(await answer(store, gapsIn(interval, least)), JSON.stringify({ interval, least })).toEqual(
        await answer(raw(test), gapsIn(interval, least)),
      );
    },
    async ({ interval, store = test }: Window) => {
      const threshold = [-50, -20, -1, -0.1, 0][Math.floor(random() * 5)] ?? -10;
      const [limit, now] = [1 + Math.floor(random() * 200), '2026-03-01T00:00:00.000000Z'];
      const page = await loudPoints(store, interval, threshold, limit, now);
      const expected = await loudPoints(raw(test), interval, threshold, limit, now);
      expect(page.points.toJSON(), JSON.stringify({ interval, threshold, limit })).toEqual(
        expected.points.toJSON(),
      );
      expect(page.next).toEqual(expected.next);
    },
  ];
  return { someRange, raw, expectSame, same, compareAtOnce, compareBeside, compare, others };
}
