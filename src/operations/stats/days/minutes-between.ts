// Counts the whole minutes between neighbouring instants of a list: those of which the measured share is stated.
import { ceilTo, floorTo, microsOf, type Range } from '../../../contract/instant.ts';
import { earlier, later } from '../../../contract/ranges.ts';

const MINUTE = 60_000_000n;

/** Minutes between two instants: how many there are, and how many lie in the range. */
export interface Minutes {
  readonly nominal: number;
  readonly minutes: number;
}

/**
 * @param range in microseconds since 1970
 * @param cuts canonical instants in order; the first is not after `from`, the last not before `to`
 * @returns the counts of the minutes (UTC) wholly in the range, for each stretch. A minute that a cut divides belongs
 *   to the stretch in which it begins
 */
export function minutesBetween(range: Range, cuts: readonly string[]): Minutes[] {
  const [from, to] = [ceilTo(range.from, MINUTE), floorTo(range.to, MINUTE)];
  const starts = cuts.map((cut) => ceilTo(microsOf(cut), MINUTE));
  const cutStarts = starts.map((time) => later(from, earlier(time, to)));
  const between = ([start = 0n, end = 0n]: readonly bigint[]) => Number((end - start) / MINUTE);
  return cuts.slice(1).map((_, index) => ({
    nominal: between(starts.slice(index, index + 2)),
    minutes: from < to ? between(cutStarts.slice(index, index + 2)) : 0,
  }));
}
