// COPY of points into the table: what both drivers need for it.
import { COLUMNS } from '../contract/point.ts';

/** A COPY that stores points begins with this. */
export const COPY_POINTS = `copy audio_data (${COLUMNS.join(', ')}) from`;

/** @returns the same CSV, and how its source failed, if it did: that is no fault of the database */
export function csvSource(csv: AsyncIterable<string>) {
  const source: { csv: AsyncIterable<string>; failure?: { error: unknown } } = { csv: pass() };
  async function* pass() {
    const iterator = csv[Symbol.asyncIterator]();
    try {
      for (;;) {
        // faults of the source are thrown by `next`, those of the database arrive at the `yield`
        const next = await iterator.next().catch((error) => {
          source.failure = { error };
          throw error;
        });
        if (next.done) return;
        yield next.value;
      }
    } finally {
      await iterator.return?.();
    }
  }
  return source;
}
