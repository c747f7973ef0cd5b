// Reads an answer without excluded stretches, and adds their total length.
import type { Exclusions } from '../contract/exclusions.ts';
import { excludedSeconds } from '../queries/excluded-seconds.ts';
import type { OpenInterval } from '../queries/periods.ts';
import type { Store } from '../store/store.ts';

/** The most attempts. If standbys with different lag take turns, reads might not ever agree. */
const ATTEMPTS = 4;

/**
 * Reads again if periods or exclusions change meanwhile, so the answer, its scale and `excluded_seconds` agree.
 *
 * @param interval null means no end
 * @param read reads the answer from the given store
 */
export async function leaveOut<Found extends object>(
  { db, rollups }: Store,
  exclusions: Exclusions,
  interval: OpenInterval,
  read: (store: Store) => Promise<Found>,
): Promise<Found & { excluded_seconds: number }> {
  const store = { db, rollups, exclusions };
  const { annotations } = rollups;
  await annotations.begin(db);
  for (let attempt = 1; ; attempt++) {
    const noted = annotations.known();
    const found = await read(store);
    if (annotations.known().version === noted.version || attempt === ATTEMPTS)
      return { ...found, excluded_seconds: excludedSeconds(store, interval) };
  }
}
