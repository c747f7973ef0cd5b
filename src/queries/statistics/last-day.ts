// Answers Leq of hours that are over, and how a night compares with its limit, by one statement.
import type { Interval } from '../../contract/instant.ts';
import { offsetOf } from '../../contract/shown-scale.ts';
import type { StationOverview } from '../../contract/stations.ts';
import { figuresOf, lowestLeq } from '../../statistics/figures.ts';
import { addUp } from '../../statistics/histogram.ts';
import { limitState } from '../../statistics/limit-state.ts';
import { answerAll } from '../../store/rollup-planner.ts';
import type { Store } from '../../store/store.ts';
import { scaleOfAnswer } from '../periods.ts';
import { bucketsBetween } from './buckets.ts';
import { coverageBetween } from './coverage.ts';
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
): Promise<{ hours: (number | null)[]; night: StationOverview['night'] }> {
  const leqOf = (byHour: readonly Parameters<typeof figuresOf>[0][]) =>
    byHour.map((each) => figuresOf(each).leq_db);
  if (!night) return { hours: leqOf((await answerAll(store, [between(...cuts)]))[0]), night };
  const questions = [
    between(...cuts),
    between(night.from, night.to),
    coverageBetween(night, [night.from, night.to]),
  ] as const;
  const [byHour, nightly, [measured_percent = null]] = await answerAll(store, questions);
  const scale = await scaleOfAnswer(store, night);
  const isKnown = !scale.energy_unavailable;
  const offset_db = isKnown ? offsetOf(scale, calibrationOffsetDb) : null;
  const totals = addUp(nightly);
  const leq_db = isKnown ? figuresOf(totals).leq_db : null;
  const known = { ...night, leq_db, measured_percent };
  const state = limitState({ ...known, leq_low_db: lowestLeq(totals) }, offset_db);
  return { hours: leqOf(byHour), night: { ...known, state } };
}
