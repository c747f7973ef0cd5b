// Reads the levels and the measured time of stretches: parts of limits, or their hours or quarter hours.
import { type Interval, microsOf } from '../../../contract/instant.ts';
import { clip, common, earlier, later, rangeOf, totalLength } from '../../../contract/ranges.ts';
import { lowestLeq } from '../../../rollups/figures.ts';
import { addUp, type Totals } from '../../../rollups/histogram.ts';
import { nothingToRead, type RollupQueries } from '../../../rollups/rollup-planner.ts';
import { excludedOf, type Store } from '../../../rollups/store.ts';
import { bucketsBetween, totalsByBucket } from '../buckets.ts';
import { coverageBetween } from '../coverage.ts';

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
 * @param spacing_seconds as in {@link coverageBetween}
 * @returns the ends of all stretches, the queries to run with other queries, and a function from their answers
 */
export function measuredStretches(
  past: Interval,
  stretches: readonly Interval[],
  spacing_seconds: number | null,
) {
  const ends = stretches.flatMap(({ from, to }) => [from, to]);
  const [first, last] = [earlier(ends[0] ?? past.from, past.from), ends.reduce(later, past.to)];
  const cuts = [...new Set([first, ...ends, last])].sort();
  const indexByCut = new Map(cuts.map((cut, index) => [cut, index]));
  const indexOf = ({ from }: Interval) => indexByCut.get(from) ?? 0;
  const queries: RollupQueries<Answers> =
    stretches.length === 0 || past.from >= past.to
      ? [nothingToRead([]), nothingToRead([])]
      : [totalsByBucket(bucketsBetween(past, cuts)), coverageBetween(past, cuts, spacing_seconds)];
  const measured = (store: Store, ...[totals, coverage]: Answers): Measured[] =>
    stretches.map((stretch) => {
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
  return { cuts, indexOf, queries, measured };
}

/** The level of the measured energy above the floor, spread over the whole stretch: the true level is no lower. */
export function certainLevel(stretch: Measured): number | null {
  const { above_power_sum, level_count } = stretch.totals;
  const energy = (above_power_sum / level_count) * stretch.measuredSeconds;
  return energy > 0 ? 10 * Math.log10(energy / secondsIn(stretch)) : null;
}

/** @returns the loudest of some stretches, the first among equals; undefined if none has a level */
export function loudestStretch(stretches: readonly Measured[]) {
  const levels = stretches.flatMap(({ from, totals }) => {
    const { power_sum, level_count } = totals;
    return level_count === 0 ? [] : [{ from, power: power_sum / level_count, low: lowestLeq(totals) }];
  });
  const power = Math.max(...levels.map((each) => each.power));
  const loudest = levels.find((each) => each.power === power);
  const lows = levels.flatMap(({ low }) => low ?? []);
  const leq_low_db = lows.length > 0 ? Math.max(...lows) : null;
  return loudest && { from: loudest.from, leq_db: 10 * Math.log10(power), leq_low_db };
}
