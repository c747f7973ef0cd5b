// From where each part of an interval is read: the coarsest rollup that holds it, else the raw points.
import type { Resolution } from '../timescale/rollups.ts';

/** Half open, in microseconds since 1970. */
export interface Range {
  readonly from: bigint;
  readonly to: bigint;
}

/** Buckets of one length, and the ranges in which every one of them is clean (clean-buckets.ts). */
export interface Held {
  readonly resolution: Resolution;
  readonly seconds: number;
  readonly clean: readonly Range[];
}

export interface Piece extends Range {
  readonly source: 'raw' | Resolution;
}

/**
 * Cuts an interval into pieces: in order, each instant in exactly one. A piece of a rollup is made of whole
 * clean buckets.
 *
 * @param held the rollups, coarsest first: what one of them holds is not asked of the next
 * @param most how many pieces there may be: above it the shortest of the rollups' become raw
 */
export function piecesOf(interval: Range, held: readonly Held[], most = Infinity): Piece[] {
  const pieces: Piece[] = [];
  let open: readonly Range[] = [interval];
  for (const { resolution, seconds, clean } of held) {
    const left: Range[] = [];
    for (const gap of open) {
      let from = gap.from;
      for (const range of clean) {
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
  return atMost(
    most,
    pieces.sort((a, b) => (a.from < b.from ? -1 : 1)),
  );
}

/** Joins pieces with their raw neighbours until there are few enough. */
function atMost(most: number, pieces: Piece[]): Piece[] {
  if (pieces.length <= most) return pieces;
  const length = ({ from, to }: Range) => Number(to - from);
  // between two that stay lies one raw piece at most
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

/** The buckets that lie within a range altogether; none where `from` is not before `to`. */
function wholeBuckets({ from, to }: Range, seconds: number): Range {
  const width = BigInt(seconds) * 1_000_000n;
  return { from: -floor(-from, width), to: floor(to, width) };
}

/** The last multiple of `width` that is not above `value`. */
function floor(value: bigint, width: bigint): bigint {
  return value - (((value % width) + width) % width);
}

const max = (a: bigint, b: bigint) => (a > b ? a : b);
const min = (a: bigint, b: bigint) => (a < b ? a : b);
