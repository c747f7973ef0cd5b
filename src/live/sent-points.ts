// The points that were sent last: by them a stream knows which are new.
import { FIRST_MICROS } from '../contract/instant.ts';
import { LATE_SECONDS } from '../contract/live.ts';
import { add, type Place, type Row, remove, rowOf, rowsOf, type Tally } from './stream-position.ts';

/** In microseconds. */
export const LATE = BigInt(LATE_SECONDS) * 1_000_000n;

interface Equal {
  readonly row: Row;
  count: number;
}

/** All that was sent of the last seconds up to the newest time. */
export class Recent {
  readonly #equals = new Map<string, Equal>();
  readonly #tally: Tally = { count: 0, hash: 0n };
  #newest: bigint;

  /** @param newest from when on points are new, as long as there are none, in microseconds since 1970 */
  constructor(newest: bigint) {
    this.#newest = newest;
  }

  /** From when on points are looked for. */
  get since(): bigint {
    const since = this.#newest - LATE;
    return since > FIRST_MICROS ? since : FIRST_MICROS;
  }

  get count(): number {
    return this.#tally.count;
  }

  get place(): Place {
    return { time: this.#newest, ...this.#tally };
  }

  /** Oldest first. */
  rows(): Row[] {
    const rows = [...this.#equals.values()].flatMap(({ row, count }) => Array<Row>(count).fill(row));
    return rows.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  }

  /**
   * @param found points in binary
   * @returns those that are new, in their order; they count as sent from now on
   */
  add(found: Buffer): Buffer[] {
    const seen = new Map<string, number>();
    const fresh: Buffer[] = [];
    for (const bytes of rowsOf(found)) {
      const key = bytes.toString('latin1');
      const count = (seen.get(key) ?? 0) + 1;
      seen.set(key, count);
      const equal = this.#equals.get(key);
      if (equal && count <= equal.count) continue;
      const row = equal?.row ?? rowOf(Buffer.from(bytes)); // what was read as a whole is not kept
      this.#equals.set(key, { row, count });
      add(this.#tally, row);
      if (row.time > this.#newest) this.#newest = row.time;
      fresh.push(row.bytes);
    }
    if (fresh.length > 0) this.#forget();
    return fresh;
  }

  #forget(): void {
    const { since } = this;
    for (const [key, { row, count }] of this.#equals) {
      if (row.time >= since) continue;
      this.#equals.delete(key);
      for (let n = 0; n < count; n++) remove(this.#tally, row);
    }
  }
}
