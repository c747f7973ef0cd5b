// Compares the share of overloaded windows with counts over all points and all recorded minutes.
import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { instantOf } from '../../../src/contract/instant.ts';
import { bucketsBetween, totalsByBucket } from '../../../src/operations/stats/buckets.ts';
import { anyOverload, overloadBetween } from '../../../src/operations/stats/overload-between.ts';
import { quality } from '../../../src/operations/stats/quality/query.ts';
import { summary } from '../../../src/operations/stats/summary/query.ts';
import { overloadPercent } from '../../../src/rollups/overload.ts';
import { refreshRollups } from '../../../src/rollups/refresh-rollups.ts';
import { answerAll } from '../../../src/rollups/rollup-planner.ts';
import { describeEachLayout, openForAll } from '../../engines.ts';
import { insertPoints } from '../../service.ts';
import { DENSE_DAYS } from '../changing-points.ts';

const START = Date.parse('2026-02-01T22:00:00Z');
const MINUTE = 60_000;
const at = (ms: number) => instantOf(START + ms);
const floor = (ms: number) => Math.floor(ms / MINUTE) * MINUTE;
const ceil = (ms: number) => -floor(-ms);

interface Period {
  readonly since: number;
  readonly counts: boolean | null;
}
/** Keyed by the start of the minute. */
type Noted = ReadonlyMap<number, number>;

/** The percentage in `[from, to)`; null if there is none. */
function percent(
  [from, to]: readonly [number, number],
  isFirst: boolean,
  times: readonly number[],
  noted: Noted,
  periods: readonly Period[],
): number | null {
  const counting = periods
    .map(({ since, counts }, index) => ({ since, until: periods[index + 1]?.since ?? 1e12, counts }))
    .filter(({ counts }) => counts);
  const isCounted = counting.some(({ since, until }) => since < to && until > from);
  if (!isCounted || !times.some((time) => time >= from && time < to)) return null;
  const [first, end] = [isFirst ? floor(from) : ceil(from), ceil(to)];
  const isIn = (minute: number) =>
    minute >= first &&
    minute < end &&
    counting.some(({ since, until }) => minute >= floor(since) && minute < ceil(until));
  const points = times.filter((time) => isIn(floor(time))).length;
  const overloaded = [...noted].reduce((sum, [minute, count]) => sum + (isIn(minute) ? count : 0), 0);
  return overloaded === 0 ? 0 : (100 * overloaded) / points;
}

const near = (share: number | null) => (share === null ? null : expect.closeTo(share, 9));

describeEachLayout('the share of overloaded windows', (engine) => {
  const test = openForAll(() => engine.open());
  beforeEach(() => test.sql(DENSE_DAYS));

  async function arrange(times: readonly number[], noted: Noted, periods: readonly Period[]) {
    await test.sql('truncate audio_data; truncate audio_data_overload; truncate audio_data_periods');
    await test.sql(insertPoints(times.map((ms) => [at(ms), -20, null])));
    for (const [minute, count] of noted)
      await test.sql('insert into audio_data_overload values ($1, $2)', [at(minute), count]);
    for (const { since, counts } of periods)
      await test.sql(
        'insert into audio_data_periods (since, weighting, counts_overload) values ($1, $2, $3)',
        [at(since), 'A', counts],
      );
  }
  async function between(from: number, to: number, cuts: readonly number[]) {
    const [interval, instants] = [{ from: at(from), to: at(to) }, cuts.map(at)];
    const [totals, isAny] = await answerAll(test, [
      totalsByBucket(bucketsBetween(interval, instants)),
      anyOverload(test, interval),
    ]);
    const counts = totals.map(({ point_count }) => point_count);
    const found = await overloadBetween(test, isAny, interval, instants, counts);
    return found.map((stretch) => overloadPercent([stretch]));
  }

  it('equals that of all points, wherever cuts, ends and periods lie, even with unrefreshed changes', async () => {
    const share = fc.integer({ min: 0, max: 10_000 }).map((parts) => parts / 10_000);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 200, max: 2000 }),
        fc.array(fc.tuple(share, share), { maxLength: 40 }),
        fc.uniqueArray(share, { maxLength: 3 }),
        fc.uniqueArray(share, { minLength: 2, maxLength: 8 }),
        fc.boolean(),
        fc.boolean(),
        async (count, overloaded, begins, shares, isLate, isWhole) => {
          const times = Array.from({ length: count }, (_, n) => n * 7300 + (n % 50 === 0 ? 0 : 900)).filter(
            (_, n) => n % 97 > 8,
          );
          const length = times.at(-1) ?? 0;
          const noted = new Map<number, number>();
          for (const [share, part] of overloaded) {
            const minute = floor(times[Math.floor(share * (times.length - 1))] ?? 0);
            const most = times.filter((time) => floor(time) === minute).length;
            noted.set(minute, Math.max(1, Math.floor(part * most)));
          }
          const periods = begins
            .sort((a, b) => a - b)
            .map((begin, index) => ({
              since: Math.floor(begin * length),
              counts: [true, null, false][(index + count) % 3] ?? null,
            }));
          await arrange(times, noted, periods);
          await refreshRollups(test.sql, 100_000);
          if (isLate) await test.sql(insertPoints([[at(Math.floor(length / 2) + 1), null, null]]));
          if (isLate) times.push(Math.floor(length / 2) + 1);
          const cuts = shares
            .map((each) => Math.floor(each * (length + 600_000)) - 300_000)
            .map((cut) => (isWhole ? floor(cut) : cut))
            .sort((a, b) => a - b);
          // stretches may end before the interval starts, as the parts of a day do
          const [from, to] = [(cuts[cuts.length > 2 ? count % 2 : 0] ?? 0) + 1000, (cuts.at(-1) ?? 0) + 1000];
          cuts[cuts.length - 1] = to;
          const clip = (cut = 0) => Math.min(Math.max(cut, from), to);
          const expected = cuts
            .slice(1)
            .map((cut, index) =>
              near(
                percent([clip(cuts[index]), clip(cut)], clip(cuts[index]) === from, times, noted, periods),
              ),
            );
          expect(await between(from, to, cuts)).toEqual(expected);
          const whole = near(percent([from, to], true, times, noted, periods));
          const interval = { from: at(from), to: at(to) };
          expect((await summary(test, interval)).overload_percent).toEqual(whole);
          expect((await quality(test, interval, at(to))).overload_percent).toEqual(whole);
        },
      ),
      { numRuns: 12, seed: 1 },
    );
  });

  it('is at most 100 %, even if points were deleted by hand', async () => {
    await arrange([1000, 2000], new Map([[0, 50]]), [{ since: 0, counts: true }]);
    expect(await between(0, MINUTE, [0, MINUTE])).toEqual([100]);
    expect(await between(MINUTE, 2 * MINUTE, [MINUTE, 2 * MINUTE])).toEqual([null]);
  });
});
