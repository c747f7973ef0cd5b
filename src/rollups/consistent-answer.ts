// The one retry of an answer: what the answer's statements saw must be what it was planned with.
import { NotMigrated } from '../database/faults.ts';
import { Outdated, type RollupState } from './rollup-state.ts';
import type { Store } from './store.ts';

/** One attempt rarely fails, and the next one assumes what it saw. The last reads the points, which takes longer. */
const ATTEMPTS = 5;

/**
 * Reads again if the rollups, periods or exclusions change meanwhile, so all parts of an answer agree. The outermost call
 * retries: calls within it only read.
 *
 * It ends because the last attempt cannot be outdated: it reads no rollups, and the periods and exclusions that it
 * assumes were valid when it began. So even if standbys with different lag take turns, the answer is that of one moment.
 *
 * @param read reads the answer from the given store, and throws {@link Outdated} to be called again
 */
export async function consistently<Found, Of extends Store>(
  store: Of,
  read: (store: Of) => Promise<Found>,
): Promise<Found> {
  if (store.assumed) return read(store);
  const { annotations } = store.rollups;
  await annotations.begin(store.db);
  const states = new Map<string, RollupState>();
  let isLast = false;
  for (let attempt = 1; ; attempt++) {
    isLast ||= attempt === ATTEMPTS;
    const assumed = { annotations: annotations.known(), states, isLast };
    try {
      const found = await read({ ...store, assumed });
      if (isLast || annotations.known().version === assumed.annotations.version) return found;
    } catch (error) {
      if (isLast || !(error instanceof Outdated || error instanceof NotMigrated)) throw error;
      isLast = error instanceof NotMigrated; // the points still answer if a rollup was dropped
    }
  }
}
