import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Range } from '../../src/contract/instant.ts';
import { RESOLUTIONS } from '../../src/db/rollups.ts';
import {
  cutAt,
  type HeldBuckets,
  type Piece,
  splitInterval,
  splitRanges,
} from '../../src/store/split-interval.ts';

const SECOND = 1_000_000n;
const [HOUR, DAY] = [3600n * SECOND, 86_400n * SECOND];

/** Instants near the borders of hours and days, before 1970 too. */
const instant = fc
  .tuple(fc.integer({ min: -200, max: 200 }), fc.constantFrom(-1n, 0n, 0n, 0n, 1n, 1_234_567_890n))
  .map(([hours, micros]) => BigInt(hours) * HOUR + micros);
const range = fc
  .tuple(instant, instant)
  .filter(([a, b]) => a !== b)
  .map(([a, b]): Range => (a < b ? { from: a, to: b } : { from: b, to: a }));
/** Ranges as the database gives them: in order, apart from each other. */
const ranges = fc.uniqueArray(instant, { maxLength: 12 }).map((ends) => {
  const sorted = ends.sort((a, b) => (a < b ? -1 : 1));
  return Array.from({ length: sorted.length >> 1 }, (_, n): Range => {
    const [from = 0n, to = 0n] = sorted.slice(2 * n);
    return { from, to };
  });
});
/** What lies between some ranges. */
const between = (ranges: readonly Range[]): Range[] =>
  [...ranges, { from: 1000n * DAY, to: 1000n * DAY }].map(({ from }, n) => ({
    from: ranges[n - 1]?.to ?? -1000n * DAY,
    to: from,
  }));
const buckets = (resolution: HeldBuckets['resolution'], seconds: number, fresh: readonly Range[]) => ({
  ...{ resolution, seconds, fresh },
  unreadable: between(fresh),
});
const held = fc
  .tuple(ranges, ranges, ranges)
  .map(([days, pairs, hours]) => [
    buckets('1d', 86_400, days),
    buckets('2h', 7200, pairs),
    buckets('1h', 3600, hours),
  ]);
/** The length of a source's buckets, in microseconds; 1 for the points. */
function widthOf(source: Piece['source']): bigint {
  const seconds = RESOLUTIONS.find(({ name }) => name === source)?.seconds;
  return seconds ? BigInt(seconds) * SECOND : 1n;
}
const most = fc.integer({ min: 1, max: 12 });
const contains = (outer: readonly Range[], { from, to }: Range) =>
  outer.some((range) => range.from <= from && to <= range.to);

it('cover the interval: each piece starts where the one before ends', () => {
  fc.assert(
    fc.property(range, held, fc.option(most, { nil: undefined }), (interval, rollups, limit) => {
      const pieces = splitInterval(interval, rollups, limit);
      expect(pieces[0]?.from).toBe(interval.from);
      expect(pieces.at(-1)?.to).toBe(interval.to);
      for (const [n, { from, to }] of pieces.entries()) {
        expect(from < to).toBe(true);
        if (n > 0) expect(from).toBe(pieces[n - 1]?.to);
      }
    }),
  );
});

it('are whole fresh buckets where they are not raw', () => {
  fc.assert(
    fc.property(range, held, (interval, rollups) => {
      for (const piece of splitInterval(interval, rollups)) {
        if (piece.source === 'raw') continue;
        expect([piece.from % widthOf(piece.source), piece.to % widthOf(piece.source)]).toEqual([0n, 0n]);
        const fresh = rollups.find(({ resolution }) => resolution === piece.source)?.fresh ?? [];
        expect(contains(fresh, piece)).toBe(true);
      }
    }),
  );
});

it('are whole buckets between cuts, and touch nothing outside their ranges', () => {
  const cuts = fc.array(instant, { maxLength: 6 }).map((all) => all.sort((a, b) => (a < b ? -1 : 1)));
  fc.assert(
    fc.property(range, cuts, held, (interval, cuts, rollups) => {
      const pieces = splitRanges(cutAt(interval, cuts), rollups);
      expect([pieces[0]?.from, pieces.at(-1)?.to]).toEqual([interval.from, interval.to]);
      for (const [n, { from }] of pieces.entries()) if (n > 0) expect(from).toBe(pieces[n - 1]?.to);
      for (const { source, from, to } of pieces)
        for (const cut of cuts)
          if (source !== 'raw' && cut > from && cut < to) expect(cut % widthOf(source)).toBe(0n);
      // a range apart from the next keeps to itself, whatever source it came from
      const apart = pieces.filter((_, n) => n % 2 === 0);
      for (const most of [1, 99])
        for (const piece of splitRanges(apart, rollups.slice(2), most)) {
          expect(contains(apart, piece)).toBe(true);
          expect(['raw', '1h']).toContain(piece.source);
        }
    }),
  );
});

it('are no more than allowed, and the rest is raw', () => {
  fc.assert(
    fc.property(range, held, most, (interval, rollups, limit) => {
      const all = splitInterval(interval, rollups);
      const pieces = splitInterval(interval, rollups, limit);
      expect(pieces.length).toBeLessThanOrEqual(limit);
      const stored = pieces.filter(({ source }) => source !== 'raw');
      for (const piece of stored) expect(all).toContainEqual(piece);
      const shortest = Math.min(...stored.map(({ from, to }) => Number(to - from)));
      for (const { source, from, to } of all) {
        if (source !== 'raw' && Number(to - from) > shortest)
          expect(contains(stored, { from, to })).toBe(true);
      }
      if (all.length <= limit) expect(pieces).toEqual(all);
    }),
  );
});

it('leave to a finer source no bucket that a coarser one holds', () => {
  fc.assert(
    fc.property(range, held, (interval, rollups) => {
      const pieces = splitInterval(interval, rollups);
      for (const { resolution, fresh } of rollups) {
        const width = widthOf(resolution);
        for (let at = -210n * HOUR; at < 210n * HOUR; at += HOUR) {
          const buckets = { from: at, to: at + width };
          if (at % width !== 0n || !contains([interval], buckets) || !contains(fresh, buckets)) continue;
          const sources = pieces.filter(({ from, to }) => from < buckets.to && to > buckets.from);
          expect(sources.every(({ source }) => widthOf(source) >= width)).toBe(true);
        }
      }
    }),
    { numRuns: 50 },
  );
});

it('are one raw piece where nothing is held', () => {
  expect(splitInterval({ from: 5n, to: 7n * DAY }, [])).toEqual([{ source: 'raw', from: 5n, to: 7n * DAY }]);
});

it('take days first, then hours, then points', () => {
  const unreadable = between([{ from: 0n, to: 10n * DAY }]);
  const pieces = splitInterval({ from: DAY - HOUR - 1n, to: 3n * DAY + HOUR + 1n }, [
    { resolution: '1d', seconds: 86_400, unreadable },
    { resolution: '1h', seconds: 3600, unreadable },
  ]);
  expect(pieces).toEqual([
    { source: 'raw', from: DAY - HOUR - 1n, to: DAY - HOUR },
    { source: '1h', from: DAY - HOUR, to: DAY },
    { source: '1d', from: DAY, to: 3n * DAY },
    { source: '1h', from: 3n * DAY, to: 3n * DAY + HOUR },
    { source: 'raw', from: 3n * DAY + HOUR, to: 3n * DAY + HOUR + 1n },
  ]);
});
