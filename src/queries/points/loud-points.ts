// Reads the points above a level, newest first, page by page.
import { sql } from 'drizzle-orm';
import { AFTER_LAST_INSTANT, nextInstant } from '../../contract/instant.ts';
import { parameter } from '../../db/compile.ts';
import { audioData } from '../../db/schema.ts';
import { cutPage, type Page, type Position, pageStatement, readRows, startOf } from '../../points/page.ts';
import { readNewest } from '../../points/search-back.ts';
import type { Store } from '../../store/store.ts';

// The threshold is a real like the column: a level that reads -10.2 is then not above a threshold of -10.2.
const statement = pageStatement(
  'loud_points',
  sql`${audioData.time} >= ${parameter('from')} and ${audioData.time} < ${parameter('to')}
    and ${audioData.rms_db} > ${parameter('threshold')}::real`,
  'newest first',
  { rare: true },
);

/** How much further each step of the search goes: days before one without loud points likely have none either. */
const LOUD_ARE_RARE = 64;

/**
 * At most `limit` points of `[from, to)` strictly above `threshold` dB, newest first, from `after` on if it is given.
 * A null end means no end.
 *
 * @param now the clock of the request: where the search begins, which does not change the answer
 */
export async function loudPoints(
  store: Store,
  { from, to }: { from: string | null; to: string | null },
  threshold: number,
  limit: number,
  now: string,
  after?: Position,
): Promise<Page> {
  // the page before may have ended among points of one time
  const end = after ? (nextInstant(after.time) ?? null) : to;
  const start = after ?? startOf(end ?? AFTER_LAST_INSTANT);
  const rows = await readNewest(
    store,
    { from, to: end },
    now,
    limit + 1,
    (interval) =>
      readRows(store.db, statement, { ...interval, threshold: Math.fround(threshold) }, start, limit + 1),
    LOUD_ARE_RARE,
  );
  return cutPage(rows, start, limit);
}
