// Gaps from the rollups of each minute.
import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { instantOfMicros, microsOf } from '../../../src/contract/instant.ts';
import { gapsIn, TooManyGaps } from '../../../src/operations/stats/gaps.ts';
import { refreshRollups } from '../../../src/rollups/refresh-rollups.ts';
import { answer } from '../../../src/rollups/rollup-planner.ts';
import type { Store } from '../../../src/rollups/store.ts';
import { describeEachLayout, type Engine, openForAll } from '../../engines.ts';
import { noRollups } from '../../no-rollups.ts';
import { insertPoints } from '../../service.ts';

const gaps = (store: Store, ...args: Parameters<typeof gapsIn>) => answer(store, gapsIn(...args));

const START = microsOf('2026-02-01T00:00:30.000000Z');
const at = (micros: number) => instantOfMicros(START + BigInt(micros));

/** The gaps between times by their definition. */
function gapsBetween(times: readonly number[], from: number, leastSeconds: number) {
  return times.flatMap((until, index) => {
    const since = Math.max(times[index - 1] ?? until, from);
    const seconds = (until - since) / 1e6;
    return seconds >= leastSeconds ? [{ from: at(since), to: at(until), seconds }] : [];
  });
}

function byMinute(engine: Engine) {
  const test = openForAll(() => engine.open());
  beforeEach(() => test.sql('truncate audio_data'));
  const store = async (times: readonly number[]) => {
    await test.sql(insertPoints(times.map((micros) => [at(micros), -20, 440])));
    await refreshRollups(test.sql, 100_000);
  };

  it('equal those of the points, however even the spacing, even with unrefreshed changes', async () => {
    const distance = fc.oneof(
      { weight: 30, arbitrary: fc.constantFrom(100_000, 100_000, 99_999, 100_001, 21_333, 500_000) },
      { weight: 5, arbitrary: fc.constantFrom(0, 1, 999, 1000, 1001) },
      { weight: 2, arbitrary: fc.integer({ min: 1_000_000, max: 200_000_000 }) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(distance, fc.integer({ min: 1, max: 400 })), { minLength: 1, maxLength: 30 }),
        fc.constantFrom(0.001, 0.0011, 0.021333, 0.1, 0.100001, 0.1000011, 0.5, 1, 70),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (stretches, least, late) => {
          await test.sql('truncate audio_data');
          let last = 0;
          const times = stretches.flatMap(([distance, count]) =>
            Array.from({ length: distance < 500_000 ? count : 1 }, () => (last += distance)),
          );
          await store(times);
          if (late > 0.5) {
            times.push(Math.floor(last * late));
            await test.sql(insertPoints([[at(Math.floor(last * late)), null, null]]));
          }
          const [from, to] = [Math.floor(last / 50) - 1, last + 650_000_000];
          const found = await gaps(test, { from: at(from), to: at(to) }, least);
          const expected = gapsBetween([from, ...times.sort((a, b) => a - b), to], from, least);
          const seconds = expected.reduce((sum, each) => sum + each.seconds, 0);
          expect(found).toMatchObject({
            gap_count: expected.length,
            gap_seconds: expect.closeTo(seconds, 4),
          });
          if (expected.length <= 1000) expect(found.gaps).toEqual(expected);
        },
      ),
      { numRuns: 8, seed: 1 },
    );
  });

  it('are measured once per minute, even for old points without planner statistics', async () => {
    const points = (from: string, count: number, distance: string) =>
      test.sql(
        `insert into audio_data (time) select timestamptz '${from}' + n * interval '${distance}' from generate_series(0, ${count - 1}) n`,
      );
    await points('2026-03-01T00:00:00Z', 20_000, '1 second');
    await test.sql('analyze audio_data');
    await points(at(0), 30_000, '1 millisecond');
    await refreshRollups(test.sql, 100_000); // measured once per point, this took over a minute
    const interval = { from: at(0), to: at(90_000_000) };
    expect(await gaps(test, interval, 0.001)).toEqual(
      await gaps({ ...test, rollups: noRollups() }, interval, 0.001),
    );
  }, 40_000);

  it('come from complete minutes, and are refused if too many points would be read', async () => {
    const minute = 60_000_000;
    await store(Array.from({ length: 3000 }, (_, n) => n * 500_000 + (n % 2)));
    const interval = { from: at(0), to: at(3000 * 500_000) };
    expect(await gaps(test, interval, 0.4, 2100)).toMatchObject({ gap_count: 3000, gap_seconds: 1500 });
    await expect(gaps(test, interval, 0.5, 2100)).rejects.toThrow(TooManyGaps);
    expect(await gaps(test, interval, 0.500002, 0)).toMatchObject({ gap_count: 0 });
    await test.sql(
      `update audio_data_presence set gap_count = gap_count + 1000 where bucket = date_trunc('minute', '${at(20 * minute)}'::timestamptz)`,
    );
    expect(await gaps(test, interval, 0.4, 2100)).toMatchObject({ gap_count: 4000 });
  });
}

describeEachLayout('gaps by minute', byMinute);
