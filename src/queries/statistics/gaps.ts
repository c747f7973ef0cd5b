// Finds the gaps of an interval: the stretches without a point.
import { type Interval, microsOf } from '../../contract/instant.ts';
import type { QualityOutput } from '../../contract/quality.ts';
import { rangeOf } from '../../contract/ranges.ts';
import { sql } from '../../db/drizzle.ts';
import { rollupsOf } from '../../db/rollups.ts';
import type { Question } from '../../store/rollup-planner.ts';
import { gapsByMinute, MOST_READ } from './gaps-by-minute.ts';

/** How long a stretch without a point must be by default to be a gap: so many seconds, and so many times the spacing. */
export const [LEAST_GAP_SECONDS, SPACINGS_IN_GAP] = [10, 5];

export const leastGap = (spacing_seconds: number | null) =>
  Math.max(LEAST_GAP_SECONDS, SPACINGS_IN_GAP * (spacing_seconds ?? 0));

/** @returns null of an interval that has no length */
export function coveragePercent({ from, to }: Interval, gapSeconds: number): number | null {
  const length = Number(microsOf(to) - microsOf(from)) / 1e6;
  return length > 0 ? Math.max(0, 100 * ((length - gapSeconds) / length)) : null;
}

type Gaps = Pick<QualityOutput, 'gap_count' | 'gap_seconds' | 'gaps'>;

/** Of an interval that lies ahead. */
export const NO_GAPS: Question<Gaps, Gaps> = {
  ranges: [],
  usable: [],
  select: () => sql`select where false`,
  answer: () => ({ gap_count: 0, gap_seconds: 0, gaps: [] }),
};

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
 * @returns the stretches between points of `[from, to)` that follow one another; both ends count as points. The answer
 *   throws TooManyGaps where stretches are about that long all over a long interval
 */
export function gapsIn(interval: Interval, minSeconds: number, mostRead = MOST_READ): Question<Gaps, Gaps> {
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
