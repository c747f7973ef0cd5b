// Computes Leq of each past hour, and compares a night with its limit.
import type { Judgement, Limit } from '../../contract/limits.ts';
import { offsetOf } from '../../contract/shown-scale.ts';
import { figuresOf } from '../../rollups/figures.ts';
import { answer } from '../../rollups/rollup-planner.ts';
import { consistently, type Store } from '../../rollups/store.ts';
import { scaleOfAnswer } from '../periods.ts';
import { bucketsBetween, totalsByBucket } from '../stats/buckets.ts';
import type { LimitedPart } from '../stats/limits/limit-parts.ts';
import { againstLimits } from '../stats/limits/query.ts';
import { Night, type StationOverview } from './contract.ts';

interface PastNight {
  readonly part: LimitedPart;
  readonly limit: Limit;
}

interface Day {
  /** The start of each hour, and the end of the last. */
  readonly hours: readonly string[];
  readonly night: PastNight | null;
  readonly calibrationOffsetDb: number | null;
  readonly judgement: Judgement;
}

export type LastDay = Awaited<ReturnType<typeof lastDay>>;

/** @returns stored levels, and the offset that makes them absolute: null if unknown, or if it differs between levels */
export const lastDay = (of: Store, { hours: cuts, night, ...site }: Day) =>
  consistently(of, async (store) => {
    const [from = '', to = ''] = [cuts[0], cuts.at(-1)];
    const totals = await answer(store, totalsByBucket(bucketsBetween({ from, to }, cuts)));
    const scale = await scaleOfAnswer(store, { from, to });
    return {
      hours: totals.map((each) => (scale.energy_unavailable ? null : figuresOf(each).leq_db)),
      hours_offset_db: offsetOf(scale, site.calibrationOffsetDb),
      ...(await (night ? nightOf(store, night, site) : NO_NIGHT)),
    };
  });

interface LastNight {
  readonly night: StationOverview['night'];
  readonly night_offset_db: number | null;
}

const NO_NIGHT: LastNight = { night: null, night_offset_db: null };

async function nightOf(
  store: Store,
  { part: { from, to, stretches }, limit }: PastNight,
  site: Omit<Day, 'hours' | 'night'>,
): Promise<LastNight> {
  const interval = { from, to };
  const scale = await scaleOfAnswer(store, interval);
  const {
    offset_db: night_offset_db,
    parts: [part],
  } = await againstLimits(store, {
    interval,
    now: to,
    limits: [limit],
    parts: [{ ...interval, stretches, limit: 0 }],
    scale,
    ...site,
    counted: null,
  });
  if (!part) return NO_NIGHT;
  const leq_db = scale.energy_unavailable ? null : part.leq_db;
  return { night: Night.parse({ ...part, leq_db }), night_offset_db };
}
