// Reads the levels and the measured time of stretches: parts of limits, or their hours or quarter hours.
import { type Interval, microsOf } from '../../../contract/instant.ts';
import { clip, common, earlier, later, rangeOf, totalLength } from '../../../contract/ranges.ts';
import { lowestLeq } from '../../../rollups/figures.ts';
import { addUp, type Totals } from '../../../rollups/histogram.ts';
import { nothingToRead, type RollupQueries } from '../../../rollups/rollup-planner.ts';
import { excludedOf, type Store } from '../../../rollups/store.ts';
import { bucketsBetween, totalsByBucket, UNREAD_FOR_ENERGY } from '../buckets.ts';
import { isLongForGaps, measuredBetween } from '../coverage.ts';

/** A stretch, and what the interval and the clock show of it. */
export interface Measured extends Interval {
  readonly totals: Totals;
  /** The share of what the interval shows that has levels, percent; null if it shows nothing. */
  readonly coverage: number | null;
  readonly shownSeconds: number;
  readonly measuredSeconds: number;
  readonly excludedSeconds: number;
  /** Whether the interval shows all of it, and it has ended. */
  readonly isWhole: boolean;
}

type Answers = [totals: Totals[], coverage: (number | null)[]];

/** @returns 0 if the interval is empty */
export const secondsIn = ({ from, to }: Interval) =>
  from < to ? Number(microsOf(to) - microsOf(from)) / 1e6 : 0;

/**
 * @param past the interval up to now
 * @param stretches in order, without overlaps; they may extend beyond the interval
 * @param spacing_seconds as in {@link measuredBetween}
 * @returns the ends of all stretches, the queries to run with other queries, and a function from their answers
 */
export function measuredStretches(
  store: Store,
  past: Interval,
  stretches: readonly Interval[],
  spacing_seconds: number | null,
) {
  const ends = stretches.flatMap(({ from, to }) => [from, to]);
  const [first, last] = [earlier(ends[0] ?? past.from, past.from), ends.reduce(later, past.to)];
  const cuts = [...new Set([first, ...ends, last])].sort();
  const indexByCut = new Map(cuts.map((cut, index) => [cut, index]));
  const indexOf = ({ from }: Interval) => indexByCut.get(from) ?? 0;
  const { gaps, percents } = measuredBetween(store, past, cuts, spacing_seconds);
  const minutes = isLongForGaps(past) ? rangeOf(past) : undefined;
  const queries: RollupQueries<Answers> =
    stretches.length === 0 || past.from >= past.to
      ? [nothingToRead([]), nothingToRead([])]
      : [totalsByBucket(bucketsBetween(past, cuts), minutes, UNREAD_FOR_ENERGY), gaps];
  const measured = ([totals, found]: Answers): Measured[] => {
    const coverage = percents(totals, found);
    return stretches.map((stretch) => {
      const shown = clip(stretch, past);
      const { [indexOf(stretch)]: whole = addUp([]) } = totals;
      const share = whole.point_count > 0 ? whole.level_count / whole.point_count : 1;
      const shownPercent = coverage[indexOf(stretch)] ?? null;
      const percent = shownPercent === null ? null : shownPercent * share;
      const shownSeconds = secondsIn(shown);
      return {
        ...stretch,
        totals: whole,
        coverage: percent,
        shownSeconds,
        measuredSeconds: ((percent ?? 0) / 100) * shownSeconds,
        excludedSeconds: Number(totalLength(common([rangeOf(shown)], excludedOf(store)))) / 1e6,
        isWhole: stretch.from >= past.from && stretch.to <= past.to,
      };
    });
  };
  return { cuts, indexOf, queries, measured };
}

/** The level of a stretch. Levels at the floor count as zero energy in `low_db`, which is null if all are. */
interface StretchLevel {
  readonly from: string;
  readonly leq_db: number;
  readonly low_db: number | null;
}

/** The level of the measured energy above the floor, spread over the whole stretch: the true level is no lower. */
export function certainLevelOf(stretch: Measured): StretchLevel[] {
  const { above_power_sum, level_count } = stretch.totals;
  const energy = (above_power_sum / level_count) * stretch.measuredSeconds;
  if (!(energy > 0)) return [];
  const leq_db = 10 * Math.log10(energy / secondsIn(stretch));
  return [{ from: stretch.from, leq_db, low_db: leq_db }];
}

export function levelOfStretch({ from, totals }: Measured): StretchLevel[] {
  const { power_sum, level_count } = totals;
  if (level_count === 0) return [];
  return [{ from, leq_db: 10 * Math.log10(power_sum / level_count), low_db: lowestLeq(totals) }];
}

/** @returns the highest level, the first among equals, and the highest `low_db`; undefined without any */
export function loudestLevel(levels: readonly StretchLevel[]): StretchLevel | undefined {
  const leq_db = Math.max(...levels.map((each) => each.leq_db));
  const loudest = levels.find((each) => each.leq_db === leq_db);
  const lows = levels.flatMap(({ low_db }) => low_db ?? []);
  return loudest && { ...loudest, low_db: lows.length > 0 ? Math.max(...lows) : null };
}
