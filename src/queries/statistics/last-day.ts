// Answers Leq of hours that are over, and how a night compares with its limit.
import type { Interval } from '../../contract/instant.ts';
import type { Judgement } from '../../contract/judgement.ts';
import type { Limit } from '../../contract/limits.ts';
import { offsetOf } from '../../contract/shown-scale.ts';
import type { StationOverview } from '../../contract/stations.ts';
import { figuresOf } from '../../statistics/figures.ts';
import { answer } from '../../store/rollup-planner.ts';
import type { Store } from '../../store/store.ts';
import { scaleOfAnswer } from '../periods.ts';
import { againstLimits } from './against-limits.ts';
import { bucketsBetween } from './buckets.ts';
import { totalsByBucket } from './totals-by-bucket.ts';

/** A part of a limit that is over. */
interface Night extends Interval {
  readonly limit: Limit;
  /** As AgainstLimitsQuery has them of each part. */
  readonly assessed: readonly Interval[] | undefined;
}

interface Day {
  /** Where each begins, and where the last ends. */
  readonly hours: readonly string[];
  readonly night: Night | null;
  readonly calibrationOffsetDb: number | null;
  readonly judgement: Pick<Judgement, 'uncertaintyDb' | 'minMeasuredPercent'>;
}

export async function lastDay(
  store: Store,
  { hours: cuts, night, ...site }: Day,
): Promise<{ hours: (number | null)[]; night: StationOverview['night'] }> {
  const [from = '', to = ''] = [cuts[0], cuts.at(-1)];
  const totals = await answer(store, totalsByBucket(bucketsBetween({ from, to }, cuts)));
  return {
    hours: totals.map((each) => figuresOf(each).leq_db),
    night: night && (await nightOf(store, night, site)),
  };
}

async function nightOf(
  store: Store,
  { limit, assessed, from, to }: Night,
  { calibrationOffsetDb, judgement }: Omit<Day, 'hours' | 'night'>,
): Promise<StationOverview['night']> {
  const interval = { from, to };
  const scale = await scaleOfAnswer(store, interval);
  const isEnergyKnown = !scale.energy_unavailable;
  const {
    parts: [part],
  } = await againstLimits(store, {
    interval,
    now: to,
    limits: [limit],
    parts: [{ ...interval, limit: 0 }],
    assessed: assessed && [assessed],
    judgement,
    offset_db: offsetOf(scale, calibrationOffsetDb),
    isEnergyKnown,
    spacing_seconds: null,
    countsEvents: false,
  });
  if (!part) return null;
  const { limit_db, penalty_db, assessed_db, measured_percent, state } = part;
  const leq_db = isEnergyKnown ? part.leq_db : null;
  return { from, to, limit_db, penalty_db, leq_db, assessed_db, measured_percent, state };
}
