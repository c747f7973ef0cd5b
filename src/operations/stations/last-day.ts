// Computes Leq of each past hour, and compares a night with its limit.
import type { Interval } from '../../contract/instant.ts';
import type { Judgement, Limit } from '../../contract/limits.ts';
import { offsetOf } from '../../contract/shown-scale.ts';
import { figuresOf } from '../../rollups/figures.ts';
import { answer } from '../../rollups/rollup-planner.ts';
import { consistently, type Store } from '../../rollups/store.ts';
import { scaleOfAnswer } from '../periods.ts';
import { bucketsBetween, totalsByBucket } from '../stats/buckets.ts';
import { againstLimits } from '../stats/limits/query.ts';
import type { StationOverview } from './contract.ts';

/** A part, now past, in which a limit applies. */
interface Night extends Interval {
  readonly limit: Limit;
  /** As in the parts of AgainstLimitsQuery. */
  readonly assessed: readonly Interval[] | undefined;
}

interface Day {
  /** The start of each hour, and the end of the last. */
  readonly hours: readonly string[];
  readonly night: Night | null;
  readonly calibrationOffsetDb: number | null;
  readonly judgement: Pick<Judgement, 'uncertaintyDb' | 'minMeasuredPercent'>;
}

export type LastDay = Awaited<ReturnType<typeof lastDay>>;

/** @returns stored levels, and the offset that makes them absolute: null if unknown, or if it differs between levels */
export function lastDay(of: Store, { hours: cuts, night, ...site }: Day) {
  return consistently(of, async (store) => {
    const [from = '', to = ''] = [cuts[0], cuts.at(-1)];
    const totals = await answer(store, totalsByBucket(bucketsBetween({ from, to }, cuts)));
    const scale = await scaleOfAnswer(store, { from, to });
    return {
      hours: totals.map((each) => (scale.energy_unavailable ? null : figuresOf(each).leq_db)),
      hours_offset_db: offsetOf(scale, site.calibrationOffsetDb),
      ...(await (night ? nightOf(store, night, site) : NO_NIGHT)),
    };
  });
}

interface LastNight {
  readonly night: StationOverview['night'];
  readonly night_offset_db: number | null;
}

const NO_NIGHT: LastNight = { night: null, night_offset_db: null };

async function nightOf(
  store: Store,
  { limit, assessed, from, to }: Night,
  { calibrationOffsetDb, judgement }: Omit<Day, 'hours' | 'night'>,
): Promise<LastNight> {
  const interval = { from, to };
  const scale = await scaleOfAnswer(store, interval);
  const isEnergyKnown = !scale.energy_unavailable;
  const night_offset_db = offsetOf(scale, calibrationOffsetDb);
  const {
    parts: [part],
  } = await againstLimits(store, {
    interval,
    now: to,
    limits: [limit],
    parts: [{ ...interval, limit: 0 }],
    assessed: assessed && [assessed],
    judgement,
    offset_db: night_offset_db,
    isEnergyKnown,
    countsEvents: false,
  });
  if (!part) return NO_NIGHT;
  const { limit_db, penalty_db, assessed_db, measured_percent, state } = part;
  const leq_db = isEnergyKnown ? part.leq_db : null;
  const night = { from, to, limit_db, penalty_db, leq_db, assessed_db, measured_percent, state };
  return { night, night_offset_db };
}
