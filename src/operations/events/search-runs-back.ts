// Searches back in time for the runs that are events, slab by slab, and joins runs that span slabs.
import { microsOf, type Range } from '../../contract/instant.ts';
import { earlier, later } from '../../contract/ranges.ts';
import type { Store } from '../../rollups/store.ts';
import { type Criteria, holdsOf, microsIn } from './event-criteria.ts';
import { type Run, readRuns } from './runs-above-level.ts';

export interface EventRun extends Run {
  readonly loud: bigint;
}

/** A search would read more points than its limits. */
export class TooManyPoints extends Error {}

/** The target for points above threshold - hysteresis per slab: fewer mean more statements, more mean needless work. */
const SLAB_POINTS = 100_000;

/** The most levels that a slab may count for its backgrounds: a second of work if no rollup has them. */
const SLAB_COUNTED = 5_000_000;

/** The largest growth from one slab to the next: enough to need few slabs for quiet years. */
const MOST_GROWTH = 4;

/** The limits of the first slab, which affect only speed, and of all points that the search for a page may read. */
export const SEARCH_LIMITS = {
  firstSlabSeconds: 86_400,
  /** All of these may be above threshold - hysteresis. */
  firstPoints: 250_000,
  /** Above threshold - hysteresis. */
  mostPoints: 400_000,
  /** Of any level. */
  mostRead: 2_000_000,
};
export type SearchLimits = Readonly<Record<keyof typeof SEARCH_LIMITS, number>>;

interface SearchOptions {
  readonly needsPeaks?: boolean;
  /** Only events that start at this time or later are complete, and older points are read only for these. */
  readonly since?: bigint;
  /** The points that earlier searches of the same answer read: the limits hold for all. Counts on. */
  readonly spent?: { points: number; read: number };
}

/**
 * The runs of a range, newest first, slab by slab. The slabs' bounds do not affect the runs. May omit runs that are
 * surely shorter than `min_duration_seconds`.
 *
 * @param now the time of the request, at which the search begins
 * @throws TooManyPoints
 */
export async function* searchRunsBack(
  store: Store,
  range: Range,
  criteria: Criteria,
  now: string,
  { firstSlabSeconds, firstPoints, mostPoints, mostRead }: SearchLimits,
  { needsPeaks = false, since = range.from, spent = { points: 0, read: 0 } }: SearchOptions = {},
): AsyncGenerator<EventRun[]> {
  const { longest } = holdsOf(criteria);
  const spacing = criteria.spacing_seconds ?? Number.POSITIVE_INFINITY;
  const shortest = Math.min(firstSlabSeconds, 1); // or a dense second would be searched microsecond by microsecond
  let length = Math.max(Math.min(firstSlabSeconds, SEARCH_LIMITS.firstPoints * spacing), shortest);
  let most = firstPoints;
  let pending: Run | undefined; // may have begun before the slab
  let to = range.to;
  let from = secondsBefore(earlier(to, microsOf(now)), length, since);
  for (;;) {
    const left = mostPoints - spent.points;
    const slab = await readRuns(store, { from, to }, criteria, Math.min(most, left + 1), needsPeaks);
    most *= MOST_GROWTH;
    spent.points += slab.points;
    spent.read += slab.read;
    const isWithinLimit = spent.points <= mostPoints;
    const runs: EventRun[] = [];
    const settle = (run: Run | undefined) => {
      if (run && run.loud !== null) runs.push({ ...run, loud: run.loud });
    };
    for (const run of slab.runs) {
      if (pending && pending.first - run.last <= run.hold)
        pending = {
          ...pending,
          first: run.first,
          loud: run.loud ?? pending.loud,
          peak: run.loud === null ? pending.peak : higher(run.peak, pending.top),
          top: higher(run.top, pending.top),
        };
      else {
        settle(pending);
        pending = run;
      }
    }
    to = slab.from;
    if (pending && isWithinLimit && (to <= range.from || pending.first - to >= longest)) {
      settle(pending);
      pending = undefined;
    }
    // older points cannot add a start since then
    const isLast =
      isWithinLimit && to <= since && (!pending || pending.loud === null || pending.loud < since);
    if (isLast) settle(pending);
    yield runs;
    if (isLast) return;
    if (!isWithinLimit || spent.read >= mostRead) throw new TooManyPoints();
    const room = Math.min(SLAB_POINTS / Math.max(slab.points, 1), SLAB_COUNTED / Math.max(slab.counted, 1));
    length = Math.max(length * Math.min(Math.max(room, 1 / 16), MOST_GROWTH), shortest);
    from = secondsBefore(to, length, to > since ? since : range.from);
  }
}

/** The higher of two levels; null if both are null. */
export const higher = (a: number | null, b: number | null) =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);

const secondsBefore = (time: bigint, seconds: number, earliest: bigint) =>
  later(time - microsIn(Math.max(seconds, 1e-6)), earliest);
