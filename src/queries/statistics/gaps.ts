// Finds the gaps of an interval: the stretches without a point.
import type { Interval } from '../../contract/instant.ts';
import type { QualityOutput } from '../../contract/quality.ts';
import { readParts, usableRollups } from '../../store/rollup-planner.ts';
import type { Store } from '../../store/store.ts';
import { gapsByMinute, MOST_READ } from './gaps-by-minute.ts';

type Gaps = Pick<QualityOutput, 'gap_count' | 'gap_seconds' | 'gaps'>;

export const NO_GAPS: Gaps = { gap_count: 0, gap_seconds: 0, gaps: [] };

/** More points would have to be looked at than `most`. */
export class TooManyGaps extends Error {
  readonly most: number;

  constructor(most: number) {
    super(`More than ${most} points would have to be looked at`);
    this.name = 'TooManyGaps';
    this.most = most;
  }
}

/**
 * @param minSeconds how long a stretch must be, a millisecond or more
 * @returns the stretches between points of `[from, to)` that follow one another; both ends count as points
 * @throws TooManyGaps where stretches are about that long all over a long interval
 */
export async function gaps(
  store: Store,
  interval: Interval,
  minSeconds: number,
  mostRead = MOST_READ,
): Promise<Gaps> {
  const { rows } = await readParts<Gaps>(store, interval, {
    select: (sources) => gapsByMinute(sources, interval, minSeconds, mostRead),
    usable: usableRollups('presence'),
  });
  const [found] = rows;
  if (!found) throw new TooManyGaps(mostRead);
  return found;
}
