// Keeps where in time a table has points: stretches without long gaps.

/** Both ends are in it, canonical. */
export interface Island {
  first: string;
  last: string;
}

const MINUTE_MS = 60_000;
/** Points lie apart if the gap is longer than a minute and than so many spacings. */
const SPACINGS = 10;
/** How many different spacings are told apart; of more, those that are alike are one. */
const MOST_SPACINGS = 10_000;

export type Islands = ReturnType<typeof createIslands>;

export function createIslands() {
  const islands: { first: string; last: string; firstMs: number; lastMs: number }[] = [];
  const spacings = createSpacings();
  let at = 0;

  /** @returns the place of the last one that begins at that time or before; -1 if there is none */
  function find(ms: number): number {
    let [low, high] = [0, islands.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((islands[middle]?.firstMs ?? 0) <= ms) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  function join(place: number): void {
    const [one, next] = [islands[place], islands[place + 1]];
    if (!one || !next || next.firstMs - one.lastMs > MINUTE_MS) return;
    islands.splice(place, 2, { ...one, last: next.last, lastMs: next.lastMs });
  }

  return {
    /** @returns whether the time lies between points that came before */
    add(time: string, ms: number): boolean {
      spacings.add(ms);
      const here = islands[at];
      const isHere =
        here !== undefined &&
        ms >= here.firstMs &&
        !(ms > (islands[at + 1]?.firstMs ?? Number.POSITIVE_INFINITY));
      if (!isHere) at = find(ms);
      const island = islands[at];
      if (island && ms - island.lastMs <= MINUTE_MS) {
        if (time < island.first) island.first = time;
        if (time <= island.last) return ms < island.lastMs;
        island.last = time;
        island.lastMs = ms;
      } else islands.splice(++at, 0, { first: time, last: time, firstMs: ms, lastMs: ms });
      join(at);
      if (at > 0) {
        const count = islands.length;
        join(at - 1);
        if (islands.length < count) at -= 1;
      }
      return false;
    },
    medianSpacingMs: spacings.median,
    /** Ordered by time; split at gaps longer than a minute and ten median spacings. */
    all(): Island[] {
      const apart = Math.max(MINUTE_MS, SPACINGS * spacings.median());
      const all: (Island & { lastMs: number })[] = [];
      for (const { first, last, firstMs, lastMs } of islands) {
        const before = all.at(-1);
        if (before && firstMs - before.lastMs <= apart) Object.assign(before, { last, lastMs });
        else all.push({ first, last, lastMs });
      }
      return all.map(({ first, last }) => ({ first, last }));
    },
  };
}

function createSpacings() {
  const counts = new Map<number, number>();
  let before = Number.NaN;
  let all = 0;
  return {
    add(ms: number): void {
      const spacing = Math.abs(ms - before);
      before = ms;
      if (!(spacing > 0)) return;
      const known = counts.size < MOST_SPACINGS ? spacing : Number(spacing.toPrecision(2));
      counts.set(known, (counts.get(known) ?? 0) + 1);
      all += 1;
    },
    /** In milliseconds; 0 without any. */
    median(): number {
      let below = 0;
      for (const [spacing, count] of [...counts].sort(([a], [b]) => a - b)) {
        below += count;
        if (2 * below >= all) return spacing;
      }
      return 0;
    },
  };
}
