// The batches that the power-cut test stores.
import { instantOf } from '../../../src/contract/instant.ts';

export const START = Date.parse('2026-01-01T00:00:00Z');
export const POINTS_IN_BATCH = 200;
/** The time from one batch to the next: several batches fit into half an hour. */
export const STEP_MS = 400_000;

export async function* csvOf(batch: number): AsyncGenerator<string> {
  const rows = Array.from(
    { length: POINTS_IN_BATCH },
    (_, n) =>
      `${instantOf(START + batch * STEP_MS + n * 100)},${-(batch % 50) - n / 1000},${100 + n},${n % 7 === 0}\n`,
  );
  yield rows.join('');
}
