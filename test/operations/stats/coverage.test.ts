// Compares coverage from the rollups of each minute with the gaps between all points.
import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { instantOf } from '../../../src/contract/instant.ts';
import { coverageBetween } from '../../../src/operations/stats/coverage.ts';
import { refreshRollups } from '../../../src/rollups/refresh-rollups.ts';
import { answer } from '../../../src/rollups/rollup-planner.ts';
import { describeEachLayout, openForAll } from '../../engines.ts';
import { insertPoints } from '../../service.ts';
import { DENSE_DAYS } from '../changing-points.ts';

const START = Date.parse('2026-02-01T00:00:00Z');
const at = (ms: number) => instantOf(START + ms);
const near = (percent: number | null) => (percent === null ? null : expect.closeTo(percent, 9));

/** The coverage by its definition. As points are less than 2 s apart, 10 s are a gap. */
function coverage(times: readonly number[], from: number, to: number): number | null {
  if (from >= to) return null;
  const points = [from, ...times.filter((time) => time >= from && time < to), to];
  const distances = points.slice(1).map((time, index) => time - (points[index] ?? 0));
  const missing = distances.filter((ms) => ms >= 10_000).reduce((sum, ms) => sum + ms, 0);
  return 100 * (1 - missing / (to - from));
}

describeEachLayout('coverage between instants', (engine) => {
  const test = openForAll(() => engine.open());
  beforeEach(async () => {
    await test.sql('truncate audio_data; truncate audio_data_periods');
    await test.sql(DENSE_DAYS);
  });
  const store = async (times: readonly number[]) => {
    for (let first = 0; first < times.length; first += 10_000)
      await test.sql(insertPoints(times.slice(first, first + 10_000).map((ms) => [at(ms), -20, null])));
    await refreshRollups(test.sql, 100_000);
  };
  const between = (from: number, to: number, cuts: readonly number[], mostRead?: number) =>
    answer(test, coverageBetween({ from: at(from), to: at(to) }, cuts.map(at), 0.5, mostRead));

  it('equals that of the points, wherever gaps, cuts and ends lie, even with unrefreshed changes', async () => {
    const distance = fc.oneof(
      { weight: 8, arbitrary: fc.constant(500) },
      { weight: 2, arbitrary: fc.constantFrom(9999, 10_000, 10_001, 12_000) },
      { weight: 1, arbitrary: fc.integer({ min: 10_000, max: 300_000 }) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(distance, fc.integer({ min: 1, max: 80 })), { minLength: 1, maxLength: 60 }),
        fc.uniqueArray(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 12 }),
        fc.boolean(),
        async (runs, shares, isLate) => {
          await test.sql('truncate audio_data');
          let last = 0;
          const times = runs.flatMap(([distance, count]) =>
            Array.from({ length: distance === 500 ? count : 2 }, () => (last += distance)),
          );
          await store(times);
          const late = Math.floor(last / 3) + 1;
          if (isLate) await test.sql(insertPoints([[at(late), null, null]]));
          if (isLate) times.push(late);
          times.sort((a, b) => a - b);
          const cuts = shares.map((share) => Math.floor(share * (last + 600_000)) - 300_000);
          cuts.sort((a, b) => a - b);
          const [from, to] = [(cuts[0] ?? 0) + 1000, (cuts.at(-1) ?? 0) - 1000];
          const clip = (cut: number) => Math.min(Math.max(cut, from), Math.max(from, to));
          const expected = cuts
            .slice(1)
            .map((cut, index) => coverage(times, clip(cuts[index] ?? 0), clip(cut)));
          expect(await between(from, to, cuts)).toEqual(expected.map(near));
        },
      ),
      { numRuns: 10, seed: 1 },
    );
  });

  it('counts gaps of five times the interval of the recorder, or the given spacing before it is known', async () => {
    await store(Array.from({ length: 60 }, (_, n) => n * 20_000));
    await test.sql(`insert into audio_data_periods (since, interval_ms)
      values ('${at(400_000)}', 3900), ('${at(800_000)}', 4100), ('${at(1_000_000)}', null)`);
    const cuts = [0, 200_000, 400_000, 600_000, 800_000, 1_000_000, 1_200_000];
    const measure = (spacing: number | null) =>
      answer(test, coverageBetween({ from: at(0), to: at(1_200_000) }, cuts.map(at), spacing));
    expect(await measure(5)).toEqual([100, 100, 0, 0, 100, 100].map(near));
    expect(await measure(null)).toEqual([0, 0, 0, 0, 100, 0].map(near));
  });

  it('counts the oldest minutes with several gaps as missing if it would read too many points', async () => {
    // gaps of 11 s and 12 s in each minute, but in every fifth two of 12 s
    const isMissing = (ms: number) => {
      const [minute, second] = [Math.floor(ms / 60_000), (ms / 1000) % 60];
      return (second > 5 && second < (minute % 5 > 0 ? 16 : 17)) || (second > 30 && second < 42);
    };
    await store(Array.from({ length: 20 * 120 }, (_, n) => n * 500).filter((ms) => !isMissing(ms)));
    const ofMinutes = (read: number, unread: number) =>
      near(100 * (1 - (read * 23 + unread * 59.5 + 2 * 24) / 600));
    const measure = (mostRead?: number) => between(0, 1_200_000, [0, 600_000, 1_200_000], mostRead);
    expect(await measure()).toEqual([ofMinutes(8, 0), ofMinutes(8, 0)]);
    expect(await measure(500)).toEqual([ofMinutes(0, 8), ofMinutes(6, 2)]);
    expect(await measure(0)).toEqual([ofMinutes(0, 8), ofMinutes(0, 8)]);
  });
});
