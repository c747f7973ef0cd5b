// Answers Leq of hours that are over, and how a night was measured, by one statement.
import type { Interval } from '../../contract/instant.ts';
import { figuresOf, lowestLeq } from '../../statistics/figures.ts';
import { addUp } from '../../statistics/histogram.ts';
import { answerAll } from '../../store/rollup-planner.ts';
import type { Store } from '../../store/store.ts';
import { spacing } from '../points/spacing.ts';
import { bucketsBetween } from './buckets.ts';
import { gapsIn, NO_GAPS } from './gaps.ts';
import { coveragePercent, leastGap } from './quality.ts';
import { totalsByBucket } from './totals-by-bucket.ts';

const between = (cuts: readonly string[]) => {
  const [from = '', to = ''] = [cuts[0], cuts.at(-1)];
  return totalsByBucket(bucketsBetween({ from, to }, cuts));
};

/**
 * @param hours where each begins, and where the last ends
 * @param night one that is over
 */
export async function lastDay(store: Store, hours: readonly string[], night: Interval | null, now: string) {
  const gap = night ? leastGap(await spacing(store, night.to, now)) : 0;
  const [byHour, nightly, { gap_seconds }] = await answerAll(store, [
    between(hours),
    between(night ? [night.from, night.to] : hours.slice(0, 2)),
    night ? gapsIn(night, gap) : NO_GAPS,
  ]);
  const totals = addUp(nightly);
  return {
    hours: byHour.map((each) => figuresOf(each).leq_db),
    night: night && {
      leq_db: figuresOf(totals).leq_db,
      leq_low_db: lowestLeq(totals),
      measured_percent: coveragePercent(night, gap_seconds) ?? 0,
    },
  };
}
