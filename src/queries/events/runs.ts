// Runs: what events are made of, searched for back in time, slab by slab.
import { microsOf } from '../../contract/instant.ts';
import type { Range } from '../../timescale/internal-catalog.ts';
import type { Store } from '../../timescale/rollups-in-use.ts';
import { type Criteria, type Island, microsIn, readIslands } from './islands.ts';

/** A run of points above threshold - hysteresis, one of which is above the threshold. */
export interface Run extends Island {
  readonly loud: bigint;
}

/** How many points above threshold - hysteresis may be looked at for one page. */
export const MOST_POINTS = 1_000_000;

/** There are more than {@link MOST_POINTS}. */
export class TooManyPoints extends Error {}

/** How many of these points a slab should hold: fewer make more statements, more make needless work. */
const SLAB_POINTS = 100_000;

/** How many points the first slab may hold: all of them may be above. */
const SLAB_FIRST = 250_000;

/** How many points backgrounds may be counted from, for a slab: where they are not stored, that takes a second. */
const SLAB_COUNTED = 5_000_000;

/** Slabs grow at most so many times at a step. Those of a quiet time are then few, also over years. */
const FURTHER = 4;

/** How far a search looks first, in seconds, which changes nothing in the answer; and how many points it looks at. */
export interface Reach {
  readonly firstSlab: number;
  readonly mostPoints: number;
}
export const REACH: Reach = { firstSlab: 86_400, mostPoints: MOST_POINTS };

/**
 * The runs of a range, newest first, those of each slab together. They do not depend on where slabs begin and end.
 * Runs that are surely shorter than `min_duration_seconds` may be left out.
 *
 * @param now the clock of the request: where to look first
 * @throws TooManyPoints
 */
export async function* runsBack(
  store: Store,
  range: Range,
  criteria: Criteria,
  now: string,
  { firstSlab, mostPoints }: Reach,
): AsyncGenerator<Run[]> {
  const hold = microsIn(criteria.hold_seconds);
  const spacing = criteria.spacing_seconds ?? Number.POSITIVE_INFINITY;
  const shortest = Math.min(firstSlab, 1); // or a dense second would be searched by the microsecond
  let length = Math.max(Math.min(firstSlab, SLAB_FIRST * spacing), shortest);
  let left = mostPoints;
  let pending: Island | undefined; // may go on before the slab
  let to = range.to;
  let from = earlier(to < microsOf(now) ? to : microsOf(now), length, range.from);
  for (;;) {
    const slab = await readIslands(store, { from, to }, criteria, left + 1);
    left -= slab.points;
    const runs: Run[] = [];
    const settle = (island: Island | undefined) => {
      if (island && island.loud !== null) runs.push({ ...island, loud: island.loud });
    };
    for (const island of slab.islands) {
      if (pending && pending.first - island.last <= hold)
        pending = { first: island.first, last: pending.last, loud: island.loud ?? pending.loud };
      else {
        settle(pending);
        pending = island;
      }
    }
    to = slab.from;
    const isLast = left >= 0 && to <= range.from;
    if (pending && left >= 0 && (isLast || pending.first - to >= hold)) {
      settle(pending);
      pending = undefined;
    }
    yield runs;
    if (isLast) return;
    if (left < 0) throw new TooManyPoints();
    const room = Math.min(SLAB_POINTS / Math.max(slab.points, 1), SLAB_COUNTED / Math.max(slab.counted, 1));
    length = Math.max(length * Math.min(Math.max(room, 1 / 16), FURTHER), shortest);
    from = earlier(to, length, range.from);
  }
}

function earlier(time: bigint, seconds: number, earliest: bigint): bigint {
  const from = time - microsIn(Math.max(seconds, 1e-6));
  return from > earliest ? from : earliest;
}
