// Reads the points above a level, newest first, page by page.
import {
  AFTER_LAST_INSTANT,
  FIRST_INSTANT,
  type Interval,
  nextInstant,
  type OpenInterval,
} from '../../../contract/instant.ts';
import { compile, instantText, parameter, sql } from '../../../database/drizzle.ts';
import { audioData } from '../../../database/schema.ts';
import {
  cutPage,
  type Page,
  type PageStatements,
  type Position,
  pageStatements,
  readPage,
  startOf,
} from '../../../points/page.ts';
import { inInterval, type Lines, wholeOf } from '../../../points/points.ts';
import { minutesWhose, pointsIn } from '../../../points/points-above.ts';
import { readNewest } from '../../../points/search-back.ts';
import type { Store } from '../../../rollups/store.ts';

// The threshold is a real like the column: a level that reads -10.2 is then not above a threshold of -10.2.
const level = sql`${parameter('threshold')}::real`;
const amongAll = pageStatements(
  'loud_points',
  sql`${inInterval} and ${audioData.rms_db} > ${level}`,
  'newest first',
  { rare: true },
);
const loudMinutes = minutesWhose(sql`max_db > ${level}`);
const inMinutes = pageStatements('loud_points_in_minutes', inInterval, 'newest first', {
  rare: true,
  from: pointsIn(loudMinutes, sql`rms_db > ${level}`),
});

/** The starts of the 4th, 16th, ... newest minute with loud points, and of the oldest one wanted. */
const startsOfMinutes = compile(
  sql<{ start: string; number: number }>`
  select ${instantText(sql`greatest(bucket, ${parameter('from')}::timestamptz)`)} as start, number::int
  from (
    select bucket, row_number() over (order by bucket desc) as number from (${loudMinutes}) as minutes
    order by bucket desc limit ${parameter('wanted')}
  ) as newest
  where number in (4, 16, 64, 256, 1024, 4096, 16384, 65536, ${parameter('wanted')}) order by number`,
  'loud_minutes',
);

/** The growth of each step of the search: before a day without loud points, there are likely more such days. */
const LOUD_ARE_RARE = 64;

/**
 * At most `limit` points of `[from, to)` strictly above `threshold` dB, newest first, starting at `after` if given. A
 * null end means no end.
 *
 * @param now the time of the request, at which the search begins. It does not change the answer
 * @param offset_db added to each level
 */
export async function loudPoints(
  store: Store,
  whole: OpenInterval,
  threshold: number,
  limit: number,
  now: string,
  after?: Position,
  offset_db = 0,
): Promise<Page> {
  const { from, to } = whole;
  // the previous page may have ended among points of the same time
  const end = after ? (nextInstant(after.time) ?? null) : to;
  const start = after ?? startOf(end ?? AFTER_LAST_INSTANT);
  const wanted = limit + 1;
  const read = (statements: PageStatements, interval: Interval) =>
    readPage(
      store.db,
      statements,
      { ...interval, ...wholeOf(whole), threshold: Math.fround(threshold) },
      start,
      wanted,
      offset_db,
    );
  const found = (await store.rollups.inUse())
    ? await readInMinutes()
    : await readNewest({ from, to: end }, now, wanted, (part) => read(amongAll, part), LOUD_ARE_RARE);
  return cutPage(found, start, limit);

  /** Each read returns the whole answer, as in {@link readNewest}. */
  async function readInMinutes(): Promise<Lines> {
    const all = { from: from ?? FIRST_INSTANT, to: end ?? AFTER_LAST_INSTANT };
    const values = { ...all, threshold: Math.fround(threshold), wanted };
    let needed = 0; // minutes needed, if older ones have as many points
    const starts = await store.db.query(startsOfMinutes, values);
    for (const { start, number } of starts) {
      if (number < needed) continue;
      const rows = await read(inMinutes, { ...all, from: start });
      if (rows.count >= wanted) return rows;
      needed = (number * wanted) / Math.max(rows.count, 1);
    }
    return read(inMinutes, all);
  }
}
