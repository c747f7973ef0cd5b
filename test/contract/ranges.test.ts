import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Range } from '../../src/contract/instant.ts';
import { cutAt, totalLength, union, within, without } from '../../src/contract/ranges.ts';
import { rollupsOf } from '../../src/database/rollups.ts';
import { planOf } from '../../src/rollups/rollup-planner.ts';
import { unreadable } from '../../src/rollups/rollup-state.ts';

const HALF_HOUR = 1_800_000_000n;
const [FIRST, LAST] = [-150n, 150n];

/** Ordered, disjoint ranges whose ends are whole units. */
const rangesOf = (unit: bigint) =>
  fc.uniqueArray(fc.bigInt({ min: FIRST, max: LAST }), { maxLength: 12 }).map((ends): Range[] => {
    const sorted = ends.sort((a, b) => (a < b ? -1 : 1));
    return Array.from({ length: sorted.length >> 1 }, (_, n) => {
      const [from = 0n, to = 0n] = sorted.slice(2 * n);
      return { from: from * unit, to: to * unit };
    });
  });
const units = Array.from({ length: Number(LAST - FIRST) }, (_, n) => FIRST + BigInt(n));
const holds = (ranges: readonly Range[], at: bigint) => ranges.some(({ from, to }) => from <= at && at < to);
const unitsIn = (ranges: readonly Range[], unit = 1n) => units.filter((at) => holds(ranges, at * unit));

it('add and subtract as sets do', () => {
  fc.assert(
    fc.property(rangesOf(1n), rangesOf(1n), (some, others) => {
      const [all, left] = [union(some, others), without(some, others)];
      expect(unitsIn(all)).toEqual(units.filter((at) => holds(some, at) || holds(others, at)));
      for (const [n, { from }] of all.entries())
        if (n > 0) expect(from > (all[n - 1]?.to ?? from)).toBe(true);
      expect(unitsIn(left)).toEqual(units.filter((at) => holds(some, at) && !holds(others, at)));
      expect(totalLength(left)).toBe(BigInt(unitsIn(left).length));
      const [range = { from: 0n, to: 1n }] = others;
      expect(unitsIn(within(some, range))).toEqual(
        units.filter((at) => holds(some, at) && holds([range], at)),
      );
    }),
  );
});

it('have nothing left of an interval that ends before it begins', () => {
  expect(without([{ from: 2n, to: 1n }], [])).toEqual([]);
});

it('are planned to read each time once, from the longest whole buckets allowed', () => {
  const cuts = fc.uniqueArray(fc.bigInt({ min: FIRST, max: LAST }), { maxLength: 4 });
  const ranges = [rangesOf(HALF_HOUR), rangesOf(HALF_HOUR), rangesOf(HALF_HOUR)] as const;
  fc.assert(
    fc.property(cuts, ...ranges, (cuts, changed, waiting, sparse) => {
      const state = { changed, waiting, sparse, chunks: new Map() };
      const bounds = cuts.map((cut) => cut * HALF_HOUR).sort((a, b) => (a < b ? -1 : 1));
      const requested = cutAt({ from: FIRST * HALF_HOUR, to: LAST * HALF_HOUR }, bounds);
      const { raw, rollups } = planOf({ ranges: requested, usable: rollupsOf('histogram') }, state);
      expect(rollups.reduce((sum, { ranges }) => sum + totalLength(ranges), totalLength(raw))).toBe(
        totalLength(requested),
      );
      for (const { key, seconds, ranges } of rollups) {
        const width = BigInt(seconds) * 1_000_000n;
        const [gone, shorter] = [
          unreadable(state, { key, seconds }),
          [...raw, ...rollups.filter((other) => other.seconds < seconds).flatMap(({ ranges }) => ranges)],
        ];
        for (
          let from = FIRST * HALF_HOUR - ((FIRST * HALF_HOUR) % width);
          from < LAST * HALF_HOUR;
          from += width
        ) {
          const bucket = { from, to: from + width };
          const isWhole = requested.some((range) => range.from <= from && bucket.to <= range.to);
          const isReadable = isWhole && within(gone, bucket).length === 0;
          if (holds(ranges, from))
            expect([isReadable, totalLength(within(ranges, bucket))]).toEqual([true, width]);
          else if (isReadable) expect(within(shorter, bucket)).toEqual([]);
        }
      }
    }),
  );
});
