// Splits an interval into pieces for each source: the rollup with the longest buckets that are fresh, else the points.
import { floorTo, type Range } from '../contract/instant.ts';
import type { Resolution } from '../db/rollups.ts';

/** Buckets of one length, and the ranges in which all of them are fresh. */
export interface FreshBuckets {
  readonly resolution: Resolution;
  readonly seconds: number;
  readonly fresh: readonly Range[];
}

export interface Piece extends Range {
  readonly source: 'raw' | Resolution;
}

/**
 * @param held the rollups, longest buckets first: each gets what those before it leave
 * @param most how many pieces there may be; if there are more, the shortest pieces of rollups become raw
 * @returns the pieces in order, each instant in exactly one. A piece of a rollup consists of whole fresh buckets.
 */
export function splitInterval(
  interval: Range,
  held: readonly FreshBuckets[],
  most = Number.POSITIVE_INFINITY,
): Piece[] {
  const pieces: Piece[] = [];
  let open: readonly Range[] = [interval];
  for (const { resolution, seconds, fresh } of held) {
    const left: Range[] = [];
    for (const gap of open) {
      let from = gap.from;
      for (const range of fresh) {
        const whole = wholeBuckets({ from: max(from, range.from), to: min(gap.to, range.to) }, seconds);
        if (whole.from >= whole.to) continue;
        if (from < whole.from) left.push({ from, to: whole.from });
        pieces.push({ source: resolution, ...whole });
        from = whole.to;
      }
      if (from < gap.to) left.push({ from, to: gap.to });
    }
    open = left;
  }
  for (const gap of open) pieces.push({ source: 'raw', ...gap });
  pieces.sort((a, b) => (a.from < b.from ? -1 : 1));
  return atMost(most, pieces);
}

/** Joins the shortest pieces with their raw neighbours until there are few enough. */
function atMost(most: number, pieces: Piece[]): Piece[] {
  if (pieces.length <= most) return pieces;
  const length = ({ from, to }: Range) => Number(to - from);
  // at most one raw piece lies between two that stay
  const stored = pieces.filter(({ source }) => source !== 'raw').sort((a, b) => length(b) - length(a));
  const kept = new Set(stored.slice(0, (most - 1) >> 1));
  const joined: Piece[] = [];
  for (const { from, to, ...piece } of pieces.map((each) =>
    kept.has(each) ? each : { ...each, source: 'raw' as const },
  )) {
    const last = joined.at(-1);
    if (last?.source === 'raw' && piece.source === 'raw') joined[joined.length - 1] = { ...last, to };
    else joined.push({ ...piece, from, to });
  }
  return joined;
}

/** @returns the buckets that lie wholly within a range; none where `from` is not before `to` */
function wholeBuckets({ from, to }: Range, seconds: number): Range {
  const width = BigInt(seconds) * 1_000_000n;
  return { from: -floorTo(-from, width), to: floorTo(to, width) };
}

const max = (a: bigint, b: bigint) => (a > b ? a : b);
const min = (a: bigint, b: bigint) => (a < b ? a : b);
