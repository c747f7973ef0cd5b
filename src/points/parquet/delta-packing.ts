// Packs instants as Parquet's DELTA_BINARY_PACKED (apache/parquet-format, Encodings.md): what lies between two
// neighbours, in as few bits as the largest of some needs. Times that are evenly spaced take next to nothing.
import { unknownForm } from '../column-types.ts';

/** A block has four miniblocks, each with a number of bits of its own. */
const BLOCK = 128;
const MINIBLOCKS = 4;
const MINIBLOCK = BLOCK / MINIBLOCKS;

/** The most that a block takes: its smallest difference, the numbers of bits, and 64 bits for each value. */
const BLOCK_BYTES = 10 + MINIBLOCKS + 8 * BLOCK;

/** PostgreSQL counts microseconds from 2000, Parquet from 1970. */
const EPOCH_MICROS = BigInt(Date.UTC(2000, 0)) * 1000n;

/** More bits than these do not fit beside 7 others in 32; whole words are written instead. */
const MOST_BITS = 24;

/** @param most how many instants there can be */
export function createDeltaPacker(most: number) {
  const packed = Buffer.allocUnsafe(Math.ceil(most / BLOCK) * BLOCK_BYTES);
  // the differences of a block, in halves: a double holds only those up to 285 years
  const [lows, highs] = [new Uint32Array(BLOCK), new Int32Array(BLOCK)];
  let [count, inBlock, end] = [0, 0, 0];
  let [first, last] = [0n, 0n];
  let [low, high] = [0, 0];

  /** Adds the instants at some places of rows, none earlier than the one before. */
  function take(row: DataView, places: Int32Array): void {
    for (const place of places) {
      const [beforeHigh, beforeLow] = [high, low];
      high = row.getInt32(place);
      low = row.getUint32(place + 4);
      if (count++ === 0) {
        first = instant();
        continue;
      }
      const more = low - beforeLow;
      highs[inBlock] = high - beforeHigh - (more < 0 ? 1 : 0);
      lows[inBlock] = more; // modulo 2^32
      if (high < beforeHigh || (high === beforeHigh && more < 0)) throw unknownForm();
      if (++inBlock === BLOCK) pack();
    }
    last = instant();
  }

  const instant = () => (BigInt(high) << 32n) + BigInt(low) + EPOCH_MICROS;

  function pack(): void {
    const isWide = highs.subarray(0, inBlock).some((half) => half !== 0);
    // none is below 0, so what is subtracted from all may be 0
    const least = isWide ? 0 : lows.subarray(0, inBlock).reduce((a, b) => Math.min(a, b));
    lows.fill(least, inBlock);
    highs.fill(0, inBlock);
    end = putVarint(packed, end, BigInt(least) * 2n);
    const bitsAt = end;
    end += MINIBLOCKS;
    for (let mini = 0; mini < MINIBLOCKS; mini++) {
      const start = mini * MINIBLOCK;
      let [ones, highOnes] = [0, 0];
      for (let n = start; n < start + MINIBLOCK; n++) {
        ones |= (lows[n] ?? 0) - least;
        highOnes |= highs[n] ?? 0;
      }
      const needed = 32 - Math.clz32(ones);
      const bits = highOnes !== 0 ? 64 : needed > MOST_BITS ? 32 : needed;
      packed[bitsAt + mini] = bits;
      packMiniblock(start, least, bits);
    }
    inBlock = 0;
  }

  function packMiniblock(start: number, least: number, bits: number): void {
    if (bits === 0) return;
    let [held, waiting] = [0, 0];
    for (let n = start; n < start + MINIBLOCK; n++) {
      const value = (lows[n] ?? 0) - least;
      if (bits > MOST_BITS) {
        end = packed.writeUInt32LE(value, end);
        if (bits === 64) end = packed.writeInt32LE(highs[n] ?? 0, end);
        continue;
      }
      held |= value << waiting;
      for (waiting += bits; waiting >= 8; waiting -= 8) {
        packed[end++] = held;
        held >>>= 8;
      }
    }
  }

  /** @returns what the instants are packed as, and the first and the last. Begins anew */
  function finish() {
    if (inBlock > 0) pack();
    const head = Buffer.allocUnsafe(40);
    let at = putVarint(head, 0, BigInt(BLOCK));
    at = putVarint(head, at, BigInt(MINIBLOCKS));
    at = putVarint(head, at, BigInt(count));
    at = putVarint(head, at, first < 0n ? -first * 2n - 1n : first * 2n); // zigzag
    const values = Buffer.concat([head.subarray(0, at), packed.subarray(0, end)]);
    [count, end] = [0, 0];
    return { values, bounds: { min_value: first, max_value: last } };
  }

  return { take, finish };
}

/** Seven bits to a byte, the lowest first (ULEB128). @returns where the next write begins */
function putVarint(bytes: Buffer, start: number, number: bigint): number {
  let at = start;
  let rest = number;
  for (; rest > 127n; rest >>= 7n) bytes[at++] = Number(rest & 127n) | 128;
  bytes[at++] = Number(rest);
  return at;
}
