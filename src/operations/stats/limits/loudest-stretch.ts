// Finds the level to compare with a limit: of a whole part, or of its loudest hour or quarter hour.
import type { Interval } from '../../../contract/instant.ts';
import { figuresOf, lowestLeq } from '../../../rollups/figures.ts';
import { addUp, type Totals } from '../../../rollups/histogram.ts';
import { nothingToRead, type RollupQueries } from '../../../rollups/rollup-planner.ts';
import { bucketsBetween, totalsByBucket } from '../buckets.ts';
import { coverageBetween } from '../coverage.ts';
import { LEAST_MEASURED } from './contract.ts';

/** The stored levels to compare. */
export interface Loudest {
  readonly from: string;
  readonly leq_db: number;
  /** The lowest value that the true level can have; null if no level is above the floor. */
  readonly leq_low_db: number | null;
}

/** A stretch with levels and enough coverage. */
interface Candidate {
  readonly from: string;
  readonly totals: Totals;
}

/** @returns the loudest, the first among equals; undefined if none has a level */
export function loudestStretch(candidates: readonly Candidate[]): Loudest | undefined {
  const levels = candidates.flatMap(({ from, totals }) => {
    const { leq_db } = figuresOf(totals);
    return leq_db === null ? [] : [{ from, leq_db, leq_low_db: lowestLeq(totals) }];
  });
  const highest = Math.max(...levels.map(({ leq_db }) => leq_db));
  const lows = levels.flatMap(({ leq_low_db }) => leq_low_db ?? []);
  const loudest = levels.find(({ leq_db }) => leq_db === highest);
  return loudest && { ...loudest, leq_low_db: lows.length > 0 ? Math.max(...lows) : null };
}

type Answers = [totals: Totals[], coverage: (number | null)[]];

/**
 * @param stretches of each part, oldest first; none lies ahead
 * @param spacing_seconds as in {@link coverageBetween}
 * @returns the query to run with the other queries, and a function from its answer to each part's loudest stretch
 */
export function loudestStretches(
  stretches: readonly (readonly Interval[])[],
  spacing_seconds: number | null,
) {
  const all = stretches.flat();
  const cuts = [...new Set(all.flatMap(({ from, to }) => [from, to]))].sort();
  const [from, to] = [cuts[0], cuts.at(-1)];
  const queries: RollupQueries<Answers> =
    from === undefined || to === undefined
      ? [nothingToRead([]), nothingToRead([])]
      : [
          totalsByBucket(bucketsBetween({ from, to }, cuts)),
          coverageBetween({ from, to }, cuts, spacing_seconds),
        ];
  const indexByCut = new Map(cuts.map((cut, index) => [cut, index]));
  const loudestByPart = (...[totals, coverage]: Answers) =>
    stretches.map((some) =>
      loudestStretch(
        some.flatMap((stretch) => {
          const index = indexByCut.get(stretch.from) ?? 0;
          const isMeasured = (coverage[index] ?? 0) >= LEAST_MEASURED;
          return isMeasured ? [{ from: stretch.from, totals: totals[index] ?? addUp([]) }] : [];
        }),
      ),
    );
  return { queries, loudestByPart };
}
