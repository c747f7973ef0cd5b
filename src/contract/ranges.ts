// Arithmetic of time ranges. Every list is sorted, without overlaps.
import {
  AFTER_LAST_INSTANT,
  ceilTo,
  FIRST_MICROS,
  floorTo,
  instantOfMicros,
  LAST_MICROS,
  microsOf,
  type OpenInterval,
  type Range,
} from './instant.ts';

/** The range of PostgreSQL's bigint. */
export const ALWAYS: Range = { from: -(2n ** 63n), to: 2n ** 63n - 1n };

export const rangeOf = ({ from, to }: OpenInterval): Range => ({
  from: from === null ? FIRST_MICROS : microsOf(from),
  to: to === null ? LAST_MICROS + 1n : microsOf(to),
});

/** A canonical instant, or a time in microseconds since 1970. */
type Time = string | bigint;

export const earlier = <Of extends Time>(a: Of, b: Of): Of => (a < b ? a : b);
export const later = <Of extends Time>(a: Of, b: Of): Of => (a > b ? a : b);

/** The part of `[from, to)` inside another interval, which it touches. */
export const clip = <Of extends Time>(a: { from: Of; to: Of }, b: { from: Of; to: Of }) => ({
  from: later(a.from, b.from),
  to: earlier(a.to, b.to),
});

/** @returns the bound of a range as an instant */
export const boundOf = (micros: bigint) =>
  micros > LAST_MICROS ? AFTER_LAST_INSTANT : instantOfMicros(micros);

/** Merges lists that may overlap into one list. Adjacent ranges become one. */
export function union(...lists: (readonly Range[])[]): readonly Range[] {
  const all = lists.flat();
  if (lists.length > 1) all.sort((a, b) => (a.from < b.from ? -1 : 1));
  const joined: Range[] = [];
  for (const range of all) {
    const last = joined.at(-1);
    if (!last || last.to < range.from) joined.push(range);
    else if (last.to < range.to) joined[joined.length - 1] = { from: last.from, to: range.to };
  }
  return joined;
}

export function without(ranges: readonly Range[], gone: readonly Range[]): Range[] {
  const left: Range[] = [];
  let passed = 0; // both lists are sorted, so one pass is enough
  for (const { from, to } of ranges) {
    if (from >= to) continue; // such as the past of an interval that lies ahead
    while ((gone[passed]?.to ?? to) <= from) passed++;
    let since = from;
    for (let at = passed; since < to; at++) {
      const next = gone[at];
      const until = next && next.from < to ? next.from : to;
      if (since < until) left.push({ from: since, to: until });
      since = next && next.to < to ? next.to : to;
    }
  }
  return left;
}

export const common = (ranges: readonly Range[], others: readonly Range[]): Range[] =>
  without(ranges, without([ALWAYS], others));

/** The parts of the ranges inside one range. */
export const within = (ranges: readonly Range[], range: Range): Range[] => common(ranges, [range]);

export function isWithin(ranges: readonly Range[], time: bigint): boolean {
  let [low, high] = [0, ranges.length]; // searches for the first range that ends later
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.to ?? time) <= time) low = middle + 1;
    else high = middle;
  }
  const found = ranges[low];
  return found !== undefined && found.from <= time;
}

export const totalLength = (ranges: readonly Range[]): bigint =>
  ranges.reduce((sum, { from, to }) => sum + to - from, 0n);

/** Splits a range at sorted instants. */
export function cutAt({ from, to }: Range, cuts: readonly bigint[]): Range[] {
  const ends = [from, ...new Set(cuts.filter((cut) => cut > from && cut < to)), to];
  return ends.slice(1).map((end, index) => ({ from: ends[index] ?? from, to: end }));
}

/** For each range, the range of the whole buckets inside it. */
export function wholeBuckets(ranges: readonly Range[], seconds: number): Range[] {
  const width = BigInt(seconds) * 1_000_000n;
  return ranges
    .map(({ from, to }) => ({ from: ceilTo(from, width), to: floorTo(to, width) }))
    .filter(({ from, to }) => from < to);
}
