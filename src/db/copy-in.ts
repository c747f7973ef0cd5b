// COPY of points into the table: what both drivers need for it.
import { COLUMNS } from '../contract/point.ts';

/** @param table as SQL */
export const copyPoints = (table = 'audio_data') => `copy ${table} (${COLUMNS.join(', ')}) from`;

/** Tells the faults of the sources of CSV, which are none of the database. */
export function watchSources() {
  let failure: { error: unknown } | undefined;

  async function* read(csv: AsyncIterable<string>): AsyncGenerator<string> {
    const iterator = csv[Symbol.asyncIterator]();
    try {
      for (;;) {
        // faults of the source are thrown by `next`, those of the database arrive at the `yield`
        const next = await iterator.next().catch((error) => {
          failure = { error };
          throw error;
        });
        if (next.done) return;
        yield next.value;
      }
    } finally {
      await iterator.return?.();
    }
  }
  return {
    read,
    failure: () => failure,
  };
}
