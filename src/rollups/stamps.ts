// Stamps what past points and annotations were: as long as a stamp stays the same, so does any answer about its range.
import { createHash } from 'node:crypto';
import type { Range } from '../contract/instant.ts';
import { totalLength, within } from '../contract/ranges.ts';
import { sql } from '../database/drizzle.ts';
import { rollupsOf } from '../database/rollups.ts';
import type { Versions } from './histogram-cache.ts';
import { answer, type RollupQuery } from './rollup-planner.ts';
import { spanOf } from './source-scans.ts';
import { annotationsOf, type Store } from './store.ts';

/** @param ranges of whole half hours. @returns a stamp for each; undefined with points that no stored bucket counts */
export async function stampsOf(store: Store, ranges: readonly Range[]): Promise<(string | undefined)[]> {
  if (ranges.length === 0) return [];
  const { covered, versions } = await answer(store, versionsIn(spanOf(ranges)));
  const { version } = annotationsOf(store);
  return ranges.map((range) => {
    if (totalLength(within(covered, range)) < range.to - range.from) return undefined;
    const [first, last] = [Number(range.from / 1_000_000n), Number(range.to / 1_000_000n)];
    const its = versions.filter(([seconds, start]) => start + seconds > first && start < last);
    const all = JSON.stringify([store.exclusions, version, its]);
    return createHash('md5').update(all).digest('base64url'); // short, because memories keep it
  });
}

/** The versions of the stored buckets of a range, and the ranges that they cover. */
function versionsIn(range: Range): RollupQuery<unknown, { covered: readonly Range[]; versions: Versions }> {
  let covered: readonly Range[] = [];
  return {
    ranges: [range],
    usable: rollupsOf('histogram'),
    among: 'all',
    isStored: true,
    select({ storedRanges }) {
      covered = storedRanges;
      return sql`select where false`;
    },
    answer: (_, { versions }) => ({ covered, versions }),
  };
}
