// Compares changes of the spacing with their definition, whatever the rollups hold.
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { instantOfMicros, microsOf, type Range } from '../../../src/contract/instant.ts';
import { spacingsIn } from '../../../src/queries/statistics/spacings.ts';
import { refreshRollups } from '../../../src/store/refresh-rollups.ts';
import { answer } from '../../../src/store/rollup-planner.ts';
import { describeEachLayout, openForAll } from '../../engines.ts';
import { noRollups } from '../../no-rollups.ts';
import { DENSE_DAYS } from '../changing-points.ts';

const START = microsOf('2026-02-01T10:00:12.345678Z');
const [SECOND, MINUTE, DAY] = [1_000_000, 60_000_000n, 86_400_000_000n];

/** The definition. Times are in order, with equal times among them. */
function reference(all: readonly bigint[], { from, to }: Range) {
  const times = all.filter((time) => time >= from && time < to);
  const length = to - from;
  const pieces: [upTo: bigint, piece: bigint][] = [
    [DAY / 4n, MINUTE],
    [DAY, 5n * MINUTE],
    [7n * DAY, 30n * MINUTE],
    [31n * DAY, 60n * MINUTE],
    [366n * DAY, DAY / 2n],
  ];
  const piece = pieces.find(([upTo]) => length <= upTo)?.[1] ?? DAY;
  const differ = (a: number, b: number, share: number, least = 0) =>
    Math.abs(a - b) > Math.max(least, share * Math.max(a, b));
  function startsByCount(): bigint[] {
    const counts = [...Map.groupBy(times, (time) => (time / piece) * piece)];
    const jumps = counts.map(
      ([, { length }], n) => n === 0 || differ(length, counts[n - 1]?.[1].length ?? 0, 0.1, 2),
    );
    const isNear = (n: number) =>
      n === jumps.length - 1 || jumps.slice(Math.max(0, n - 2), n + 1).includes(true);
    return counts.flatMap(([start], n) => (isNear(n) ? [start] : []));
  }
  const pieceStarts =
    length <= 10n * MINUTE
      ? Array.from({ length: 10 }, (_, n) => from + (length * BigInt(n)) / 10n)
      : startsByCount();
  const distinct = [...new Set(times)];
  function spacingAt(start: bigint): number[] {
    const after = distinct.filter((time) => time >= start).slice(0, 21);
    const before = distinct.filter((time) => time < start).slice(after.length - 21 || distinct.length);
    const near = [...before, ...after];
    const distances = near.slice(1).map((time, n) => Number(time - (near[n] ?? 0n)));
    distances.sort((a, b) => a - b);
    const [low, high] = [distances[(distances.length - 1) >> 1], distances[distances.length >> 1]];
    return low === undefined || high === undefined ? [] : [Math.floor((low + high) / 2) / 1e6];
  }
  const measured = pieceStarts.flatMap((start) => spacingAt(start).map((spacing) => ({ start, spacing })));
  const stretches: { from: string; to: string; spacing_seconds: number }[] = [];
  for (const [n, { start, spacing }] of measured.entries()) {
    const [last, next] = [stretches.at(-1), measured[n + 1]];
    const stretch = { to: instantOfMicros(to), spacing_seconds: spacing };
    if (!last) stretches.push({ from: instantOfMicros(from), ...stretch });
    else if (differ(spacing, last.spacing_seconds, 0.2) && next && !differ(next.spacing, spacing, 0.2)) {
      last.to = instantOfMicros(start);
      stretches.push({ from: last.to, ...stretch });
    }
  }
  return stretches;
}

const series = fc.array(
  fc.record({
    spacing: fc.constantFrom(2, 0.1, 1, 25),
    seconds: fc.integer({ min: 20, max: 1200 }),
    jitter: fc.constantFrom(0, 0, 0.03, 0.2),
    gap: fc.constantFrom(0, 0, 3, 100, 20_000),
    /** Of this many points, one is lost and another comes twice. */
    lost: fc.constantFrom(5, 50, 10_000),
  }),
  { minLength: 1, maxLength: 5 },
);
const windows = fc.array(
  fc.record({
    start: fc.double({ min: -0.2, max: 1, noNaN: true }),
    seconds: fc.constantFrom(
      7,
      60,
      600,
      601,
      3600,
      20_000,
      86_400,
      86_401,
      500_000,
      2_000_000,
      3_000_000,
      40_000_000,
    ),
  }),
  { minLength: 6, maxLength: 6 },
);

describeEachLayout('spacings', (engine) => {
  const test = openForAll(() => engine.open());
  beforeAll(() => test.sql(DENSE_DAYS));

  const store = (times: readonly bigint[]) =>
    test.sql(
      `insert into audio_data (time, rms_db) select '1970-01-01Z'::timestamptz + (n / 1000000) * interval '1 s'
        + (n % 1000000) * interval '1 microsecond', -20 from unnest('{${times.join()}}'::bigint[]) as n`,
    );
  const refresh = () => refreshRollups(test.sql, 100_000);

  it('equal the definition with rollups that are fresh, late and unusable', async () => {
    let slot = 0;
    await fc.assert(
      fc.asyncProperty(series, windows, fc.boolean(), async (series, windows, isLate) => {
        await test.sql('truncate audio_data');
        let at = START + BigInt(slot++) * MINUTE;
        const times = series.flatMap(({ spacing, seconds, jitter, gap, lost }) => {
          at += BigInt(gap * SECOND);
          const base = at;
          const count = Math.ceil(seconds / spacing);
          at += BigInt(Math.round(count * spacing * SECOND));
          return Array.from({ length: count }, (_, n) => n)
            .filter((n) => n % lost !== lost - 1)
            .map((n) => base + BigInt(Math.round(spacing * SECOND * (n + jitter * ((n * 7) % 5) * 0.25))))
            .flatMap((time, n) => (n % lost === 3 ? [time, time] : [time]));
        });
        const comesLate = (n: number) => isLate && n % 3000 > 2500;
        await store(times.filter((_, n) => !comesLate(n)));
        await refresh();
        await store(times.filter((_, n) => comesLate(n)));
        const [first = 0n, last = 0n] = [times[0], times.at(-1)];
        for (const { start, seconds } of windows) {
          const from = first + BigInt(Math.floor(Number(last - first) * start));
          const range = { from, to: from + BigInt(seconds * SECOND) };
          const interval = { from: instantOfMicros(range.from), to: instantOfMicros(range.to) };
          const expected = reference(times, range);
          expect(await answer(test, spacingsIn(interval)), JSON.stringify(interval)).toEqual(expected);
          expect(await answer({ ...test, rollups: noRollups() }, spacingsIn(interval))).toEqual(expected);
        }
      }),
      { numRuns: 5, seed: 1 },
    );
  });

  it('equal those of the recorder, whatever points are lost, repeated or late, even if it pauses', async () => {
    await test.sql('truncate audio_data');
    const day = microsOf('2026-02-01T00:00:00.000000Z');
    const every = (spacing: number, from: number, until: number) =>
      Array.from({ length: Math.floor(((until - from) * 60) / spacing) }, (_, n) => {
        const jitter = ((n * 7919) % 11) * 0.01 * spacing;
        return day + BigInt(Math.round((from * 60 + n * spacing + jitter) * SECOND));
      });
    const times = [...every(2, 0, 600), ...every(0.1, 600, 640), ...every(1, 650, 1000)];
    const hour = (time: bigint) => Number((time - day) / MINUTE) / 60;
    const present = times.filter((time, n) => n % 9 > 0 && hour(time) % 3 > 0.2);
    await store([...present, ...present.filter((_, n) => n % 5 === 0)]);
    await refresh();
    const at = (minutes: number) => instantOfMicros(day + BigInt(minutes) * MINUTE);
    const found = await answer(test, spacingsIn({ from: at(0), to: at(1440) }));
    expect(found).toEqual([
      { from: at(0), to: at(600), spacing_seconds: expect.closeTo(2, 0) },
      { from: at(600), to: at(650), spacing_seconds: expect.closeTo(0.1, 1) },
      { from: at(650), to: at(1440), spacing_seconds: expect.closeTo(1, 0) },
    ]);
    const week = await answer(test, spacingsIn({ from: at(-1440), to: at(6 * 1440) }));
    expect(week.map(({ from }) => from)).toEqual([at(-1440), at(600), at(660)]);
  });
});
