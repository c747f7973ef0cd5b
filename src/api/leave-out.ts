// Answers without what is excluded, and says how much that is.
import type { Exclusions } from '../contract/exclusions.ts';
import { excludedSeconds } from '../queries/excluded-seconds.ts';
import type { Store } from '../store/store.ts';

/**
 * Reads once more if periods or exclusions change meanwhile: the answer, its scale and what it says of exclusions are of
 * one state.
 *
 * @param interval null stands for no end
 * @param read answers from the store that it is given
 */
export async function leaveOut<Found extends object>(
  { db, rollups }: Store,
  exclusions: Exclusions,
  interval: { readonly from: string | null; readonly to: string | null },
  read: (store: Store) => Promise<Found>,
): Promise<Found & { excluded_seconds: number }> {
  const store = { db, rollups, exclusions };
  const { annotations } = rollups;
  await annotations.begin(db);
  for (;;) {
    const noted = annotations.known();
    const found = await read(store);
    if (annotations.known().version === noted.version)
      return { ...found, excluded_seconds: excludedSeconds(store, interval) };
  }
}
