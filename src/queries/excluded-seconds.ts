// Measures how much of an interval a store's statistics leave out.
import { FIRST_MICROS, LAST_MICROS, microsOf } from '../contract/instant.ts';
import { totalLength, within } from '../contract/ranges.ts';
import { excludedOf, type Store } from '../store/store.ts';
import type { OpenInterval } from './periods.ts';

/** @param interval null stands for no end */
export function excludedSeconds(store: Store, { from, to }: OpenInterval): number {
  const whole = {
    from: from === null ? FIRST_MICROS : microsOf(from),
    to: to === null ? LAST_MICROS + 1n : microsOf(to),
  };
  return Number(totalLength(within(excludedOf(store), whole))) / 1e6;
}
