// Reads an answer without excluded stretches, and adds their total length.
import type { Exclusions } from '../contract/exclusions.ts';
import { FIRST_MICROS, LAST_MICROS, microsOf, type OpenInterval } from '../contract/instant.ts';
import { totalLength, within } from '../contract/ranges.ts';
import { consistently } from '../rollups/consistent-answer.ts';
import { excludedOf, type Store } from '../rollups/store.ts';

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

/** How much of an interval a store's statistics leave out. */
function excludedSeconds(store: Store, { from, to }: OpenInterval): number {
  const whole = {
    from: from === null ? FIRST_MICROS : microsOf(from),
    to: to === null ? LAST_MICROS + 1n : microsOf(to),
  };
  return Number(totalLength(within(excludedOf(store), whole))) / 1e6;
}
