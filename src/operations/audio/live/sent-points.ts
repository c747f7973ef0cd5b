// The points sent last. The tail compares points with them to find new ones.
import { FIRST_MICROS } from '../../../contract/instant.ts';
import { later } from '../../../contract/ranges.ts';
import { hashOf, LATE_MICROS, lineTime, nextLine, type StreamPosition } from './frame.ts';

/** All points sent in the last seconds up to the newest time. */
export class SentPoints {
  /** By line: points that are equal in every field. */
  readonly #points = new Map<string, { readonly time: bigint; readonly hash: bigint; count: number }>();
  #count = 0;
  #hash = 0n;
  #newest: bigint;

  /** @param newest the newest time so far, in microseconds since 1970 */
  constructor(newest: bigint) {
    this.#newest = newest;
  }

  get since(): bigint {
    return later(this.#newest - LATE_MICROS, FIRST_MICROS);
  }

  get position(): StreamPosition {
    return { time: this.#newest, count: this.#count, hash: this.#hash };
  }

  /** The lines of points from a time on, oldest first. */
  linesFrom(time: bigint): string[] {
    const points = [...this.#points].filter(([, point]) => point.time >= time);
    points.sort(([, a], [, b]) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
    return points.flatMap(([line, { count }]) => Array<string>(count).fill(line));
  }

  /** @param found the lines of points. @returns the new lines, in order. They now count as sent */
  add(found: string): string[] {
    const seen = new Map<string, number>();
    const fresh: string[] = [];
    for (let at = 0, next = 0; at < found.length; at = next) {
      next = nextLine(found, at);
      const line = found.slice(at, next);
      const count = (seen.get(line) ?? 0) + 1;
      seen.set(line, count);
      const sent = this.#points.get(line) ?? { time: lineTime(line), hash: hashOf(line), count: 0 };
      if (count <= sent.count) continue;
      sent.count = count;
      this.#points.set(line, sent);
      this.#count++;
      this.#hash = BigInt.asUintN(64, this.#hash + sent.hash);
      if (sent.time > this.#newest) this.#newest = sent.time;
      fresh.push(line);
    }
    if (fresh.length > 0) this.#forgetOld();
    return fresh;
  }

  #forgetOld(): void {
    const { since } = this;
    for (const [line, { time, hash, count }] of this.#points) {
      if (time >= since) continue;
      this.#points.delete(line);
      this.#count -= count;
      this.#hash = BigInt.asUintN(64, this.#hash - hash * BigInt(count));
    }
  }
}
