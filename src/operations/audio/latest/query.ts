// Reads the most recent points.
import { aheadOf } from '../../../contract/instant.ts';
import { compile, desc, parameter, sql } from '../../../database/drizzle.ts';
import { audioData, tables } from '../../../database/schema.ts';
import { inInterval, type Points, pointsOf, queryLines, selectLines } from '../../../points/points.ts';
import { readNewest } from '../../../points/search-back.ts';
import type { Store } from '../../../rollups/store.ts';

const newest = sql`select * from ${tables.points} where ${inInterval}
  order by ${desc(audioData.time)} limit ${parameter('limit')}`;
const statement = compile(selectLines(newest, 'stored'), 'latest_points');

/** Newest first. @param now the time of the request */
export async function latestPoints(
  store: Store,
  { limit, ahead }: { limit: number; ahead: 'omit' | 'include' },
  now: string,
): Promise<Points> {
  const to = ahead === 'include' ? null : aheadOf(now);
  const read = await readNewest({ from: null, to }, now, limit, (interval) =>
    queryLines(store.db, statement, { ...interval, limit }),
  );
  return pointsOf(read);
}
