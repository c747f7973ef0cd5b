// Answers Leq of hours that are over, and how a night compares with its limit, by one statement.
import type { Interval } from '../../contract/instant.ts';
import { offsetOf } from '../../contract/shown-scale.ts';
import { LEAST_MEASURED, type StationOverview } from '../../contract/stations.ts';
import { figuresOf, lowestLeq } from '../../statistics/figures.ts';
import { addUp } from '../../statistics/histogram.ts';
import { answerAll } from '../../store/rollup-planner.ts';
import type { Store } from '../../store/store.ts';
import { scaleOfAnswer } from '../periods.ts';
import { spacing } from '../points/spacing.ts';
import { ROUNDING_DB } from './against-limits.ts';
import { bucketsBetween } from './buckets.ts';
import { gapsIn } from './gaps.ts';
import { coveragePercent, leastGap } from './quality.ts';
import { totalsByBucket } from './totals-by-bucket.ts';

interface Day {
  /** Where each begins, and where the last ends. */
  readonly hours: readonly string[];
  /** One that is over. */
  readonly night: (Interval & { readonly limit_db: number }) | null;
  readonly calibrationOffsetDb: number | null;
}

const between = (...cuts: readonly string[]) => {
  const [from = '', to = ''] = [cuts[0], cuts.at(-1)];
  return totalsByBucket(bucketsBetween({ from, to }, cuts));
};

export async function lastDay(
  store: Store,
  { hours: cuts, night, calibrationOffsetDb }: Day,
  now: string,
): Promise<{ hours: (number | null)[]; night: StationOverview['night'] }> {
  const leqOf = (byHour: readonly Parameters<typeof figuresOf>[0][]) =>
    byHour.map((each) => figuresOf(each).leq_db);
  if (!night) return { hours: leqOf((await answerAll(store, [between(...cuts)]))[0]), night };
  const gap = leastGap(await spacing(store, night.to, now));
  const questions = [between(...cuts), between(night.from, night.to), gapsIn(night, gap)] as const;
  const [byHour, nightly, { gap_seconds }] = await answerAll(store, questions);
  const offset = offsetOf(await scaleOfAnswer(store, night), calibrationOffsetDb);
  const isOver = (level: number | null) =>
    level !== null && offset !== null && level + offset - night.limit_db > ROUNDING_DB;
  const totals = addUp(nightly);
  const { leq_db } = figuresOf(totals);
  const measured_percent = coveragePercent(night, gap_seconds) ?? 0;
  const isKnown = measured_percent >= LEAST_MEASURED && isOver(leq_db) === isOver(lowestLeq(totals));
  const verdict = isOver(leq_db) ? 'over' : 'under';
  const state = offset === null ? null : isKnown ? verdict : 'undecided';
  return { hours: leqOf(byHour), night: { ...night, leq_db, measured_percent, state } };
}
