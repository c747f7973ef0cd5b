// Finds the gaps of an interval: the stretches without a point.
import { type Interval, microsOf } from '../../contract/instant.ts';
import { rangeOf } from '../../contract/ranges.ts';
import { sql } from '../../database/drizzle.ts';
import { rollupsOf } from '../../database/rollups.ts';
import type { RollupQuery } from '../../rollups/rollup-planner.ts';
import { gapsByMinute, MOST_READ } from './gaps-by-minute.ts';
import type { QualityOutput } from './quality/contract.ts';

/** The default minimum length of a gap: the larger of this many seconds and this many times the spacing. */
export const [LEAST_GAP_SECONDS, SPACINGS_IN_GAP] = [10, 5];

export const leastGap = (spacing_seconds: number | null) =>
  Math.max(LEAST_GAP_SECONDS, SPACINGS_IN_GAP * (spacing_seconds ?? 0));

/** @returns null for an interval of length zero */
export function coveragePercent({ from, to }: Interval, gapSeconds: number): number | null {
  const length = Number(microsOf(to) - microsOf(from)) / 1e6;
  return length > 0 ? Math.max(0, 100 * ((length - gapSeconds) / length)) : null;
}

type Gaps = Pick<QualityOutput, 'gap_count' | 'gap_seconds' | 'gaps'>;

/** For an interval that lies ahead. */
export const NO_GAPS: RollupQuery<Gaps, Gaps> = {
  ranges: [],
  usable: [],
  select: () => sql`select where false`,
  answer: () => ({ gap_count: 0, gap_seconds: 0, gaps: [] }),
};

/** More than `most` points would have to be read. */
export class TooManyGaps extends Error {
  readonly most: number;

  constructor(most: number) {
    super(`More than ${most} points would have to be read`);
    this.name = 'TooManyGaps';
    this.most = most;
  }
}

/**
 * @param minSeconds the minimum length of a gap, a millisecond or more
 * @returns the stretches between consecutive points of `[from, to)`; both ends count as points. `answer` throws
 *   TooManyGaps if many stretches of a long interval are about `minSeconds` long
 */
export function gapsIn(
  interval: Interval,
  minSeconds: number,
  mostRead = MOST_READ,
): RollupQuery<Gaps, Gaps> {
  return {
    ranges: [rangeOf(interval)],
    usable: rollupsOf('presence'),
    select: (sources) => gapsByMinute(sources, interval, minSeconds, mostRead),
    answer: ([found]) => {
      if (!found) throw new TooManyGaps(mostRead);
      return found;
    },
  };
}
