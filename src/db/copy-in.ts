// What COPY needs to store points, on either driver.
import { COLUMNS } from '../contract/point.ts';

/** The start of every COPY that stores points. */
export const COPY_POINTS = `copy audio_data (${COLUMNS.join(', ')}) from`;

/** Passes the rows on. Remembers where they failed themselves: that is no fault of the database. */
export function watchSource(csv: AsyncIterable<string>) {
  const source: { rows: AsyncIterable<string>; failure?: { error: unknown } } = { rows: pass() };
  async function* pass() {
    const iterator = csv[Symbol.asyncIterator]();
    try {
      for (;;) {
        // only `next` throws faults of the source: those of the database arrive at the `yield`
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
