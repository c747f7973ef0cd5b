// Copies points into a table: code that both drivers share.
import { COLUMNS } from '../contract/point.ts';

/** @param table the SQL name */
export const copyPoints = (table = 'audio_data') => `copy ${table} (${COLUMNS.join(', ')}) from`;

/** Distinguishes errors of the CSV source from errors of the database. */
export function watchSources() {
  let failure: { error: unknown } | undefined;

  async function* read(csv: AsyncIterable<string>): AsyncGenerator<string> {
    const iterator = csv[Symbol.asyncIterator]();
    try {
      for (;;) {
        // `next` throws faults of the source; faults of the database arrive at the `yield`
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
