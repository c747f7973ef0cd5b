// The points sent last. The tail compares points with them to find new ones.
import { FIRST_MICROS, microsOf } from '../contract/instant.ts';
import { eachLine, hashOf, LATE_MICROS, type StreamPosition, timeOf } from './frame.ts';

/** Points that are equal in every field. */
interface SentPoint {
  readonly line: Buffer;
  readonly time: bigint;
  readonly hash: bigint;
  count: number;
}

/** All points sent in the last seconds up to the newest time. */
export class SentPoints {
  readonly #points = new Map<string, SentPoint>();
  #count = 0;
  #hash = 0n;
  #newest: bigint;

  /** @param newest the newest time so far, in microseconds since 1970 */
  constructor(newest: bigint) {
    this.#newest = newest;
  }

  /** The start of the search for new points. */
  get since(): bigint {
    const since = this.#newest - LATE_MICROS;
    return since > FIRST_MICROS ? since : FIRST_MICROS;
  }

  get position(): StreamPosition {
    return { time: this.#newest, count: this.#count, hash: this.#hash };
  }

  /** The lines of points from a time on, oldest first. */
  linesFrom(time: bigint): Buffer[] {
    const points = [...this.#points.values()].filter((point) => point.time >= time);
    points.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
    return points.flatMap(({ line, count }) => Array<Buffer>(count).fill(line));
  }

  /**
   * @param found the lines of points
   * @returns the new lines, in order. They now count as sent
   */
  add(found: Buffer): Buffer[] {
    const seen = new Map<string, number>();
    const fresh: Buffer[] = [];
    for (const line of eachLine(found)) {
      const key = line.toString('latin1');
      const count = (seen.get(key) ?? 0) + 1;
      seen.set(key, count);
      const sent = this.#points.get(key) ?? sentPoint(line);
      if (count <= sent.count) continue;
      sent.count = count;
      this.#points.set(key, sent);
      this.#count++;
      this.#hash = BigInt.asUintN(64, this.#hash + sent.hash);
      if (sent.time > this.#newest) this.#newest = sent.time;
      fresh.push(sent.line);
    }
    if (fresh.length > 0) this.#forgetOld();
    return fresh;
  }

  #forgetOld(): void {
    const { since } = this;
    for (const [key, { time, hash, count }] of this.#points) {
      if (time >= since) continue;
      this.#points.delete(key);
      this.#count -= count;
      this.#hash = BigInt.asUintN(64, this.#hash - hash * BigInt(count));
    }
  }
}

/** @param line a slice of a larger buffer, copied so that the buffer can be freed */
function sentPoint(line: Buffer): SentPoint {
  return { line: Buffer.from(line), time: microsOf(timeOf(line)), hash: hashOf(line), count: 0 };
}
