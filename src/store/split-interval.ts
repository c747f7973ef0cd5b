// Splits an interval into pieces for each source: the rollup with the longest buckets that may be read, else the points.
import { floorTo, type Range } from '../contract/instant.ts';
import type { Resolution } from '../db/rollups.ts';

/** Buckets of one length, and the ranges, in order, in which they may not be read. */
export interface HeldBuckets {
  readonly resolution: Resolution;
  readonly seconds: number;
  readonly unreadable: readonly Range[];
}

export interface Piece extends Range {
  readonly source: 'raw' | Resolution;
}

/**
 * @param held the rollups, longest buckets first: each gets what those before it leave
 * @param most how many pieces there may be; if there are more, the shortest pieces of rollups become raw
 * @returns the pieces in order, each instant in exactly one. A piece of a rollup consists of whole buckets that may be read.
 */
export function splitInterval(interval: Range, held: readonly HeldBuckets[], most?: number): Piece[] {
  return splitRanges([interval], held, most);
}

/**
 * The same of several ranges, in order. No bucket reaches from one into another.
 *
 * @param most of ranges that are apart there may be so many pieces more
 */
export function splitRanges(
  ranges: readonly Range[],
  held: readonly HeldBuckets[],
  most = Number.POSITIVE_INFINITY,
): Piece[] {
  const pieces: Piece[] = [];
  let open = ranges;
  for (const { resolution, seconds, unreadable } of held) {
    const left: Range[] = [];
    let passed = 0; // both lists are in order: one walk
    for (const gap of open) {
      let { from } = gap;
      let since = gap.from;
      while ((unreadable[passed]?.to ?? gap.to) <= gap.from) passed++;
      for (let at = passed; ; at++) {
        const next = unreadable[at];
        const until = next && next.from < gap.to ? next.from : gap.to;
        const whole = wholeBuckets({ from: since, to: until }, seconds);
        if (whole.from < whole.to) {
          if (from < whole.from) left.push({ from, to: whole.from });
          pieces.push({ source: resolution, ...whole });
          from = whole.to;
        }
        if (!next || next.to >= gap.to) break;
        since = max(since, next.to);
      }
      if (from < gap.to) left.push({ from, to: gap.to });
    }
    open = left;
  }
  for (const { from, to } of open) pieces.push({ source: 'raw', from, to });
  pieces.sort((a, b) => (a.from < b.from ? -1 : 1));
  return atMost(most, joined(pieces));
}

/** The stretches of an interval between instants, which are in order. */
export function cutAt({ from, to }: Range, cuts: readonly bigint[]): Range[] {
  const ends = [from, ...new Set(cuts.filter((cut) => cut > from && cut < to)), to];
  return ends.slice(1).map((end, place) => ({ from: ends[place] ?? from, to: end }));
}

/** Joins neighbours of one source that touch. */
function joined(pieces: readonly Piece[]): Piece[] {
  const all: Piece[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (last?.source === piece.source && last.to === piece.from)
      all[all.length - 1] = { ...last, to: piece.to };
    else all.push(piece);
  }
  return all;
}

/** Joins the shortest pieces with their raw neighbours until there are few enough. */
function atMost(most: number, pieces: Piece[]): Piece[] {
  if (pieces.length <= most) return pieces;
  const length = ({ from, to }: Range) => Number(to - from);
  // at most one raw piece lies between two that stay
  const stored = pieces.filter(({ source }) => source !== 'raw').sort((a, b) => length(b) - length(a));
  const kept = new Set(stored.slice(0, (most - 1) >> 1));
  return joined(pieces.map((each) => (kept.has(each) ? each : { ...each, source: 'raw' })));
}

/** @returns the buckets that lie wholly within a range; none where `from` is not before `to` */
function wholeBuckets({ from, to }: Range, seconds: number): Range {
  const width = BigInt(seconds) * 1_000_000n;
  return { from: -floorTo(-from, width), to: floorTo(to, width) };
}

const max = (a: bigint, b: bigint) => (a > b ? a : b);
