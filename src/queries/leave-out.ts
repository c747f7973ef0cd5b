// Reads an answer without excluded stretches, and adds their total length.
import type { Exclusions } from '../contract/exclusions.ts';
import { consistently } from '../store/consistent-answer.ts';
import type { Store } from '../store/store.ts';
import { excludedSeconds } from './excluded-seconds.ts';
import type { OpenInterval } from './periods.ts';

/**
 * @param interval null means no end
 * @param read reads the answer from the given store
 * @returns the answer, which agrees with its scale and `excluded_seconds`
 */
export function leaveOut<Found extends object>(
  { db, rollups }: Store,
  exclusions: Exclusions,
  interval: OpenInterval,
  read: (store: Store) => Promise<Found>,
): Promise<Found & { excluded_seconds: number }> {
  return consistently({ db, rollups, exclusions }, async (store: Store) => ({
    ...(await read(store)),
    excluded_seconds: excludedSeconds(store, interval),
  }));
}
