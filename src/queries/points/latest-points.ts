// Reads the most recent points.
import { compile, parameter } from '../../db/compile.ts';
import { desc } from '../../db/drizzle.ts';
import { audioData } from '../../db/schema.ts';
import { inInterval, type Points, readPoints, selectPoints } from '../../points/points.ts';
import { readNewest } from '../../points/search-back.ts';
import type { Store } from '../../store/store.ts';

const statement = compile(
  selectPoints().where(inInterval).orderBy(desc(audioData.time)).limit(parameter('limit')),
  'latest_points',
);

/**
 * At most `limit` points, newest first; fewer if the table holds fewer.
 *
 * @param now the clock of the request: where the search begins, which does not change the answer
 */
export function latestPoints(store: Store, { limit }: { limit: number }, now: string): Promise<Points> {
  return readNewest({ from: null, to: null }, now, limit, (interval) =>
    readPoints(store.db, statement, { ...interval, limit }),
  );
}
