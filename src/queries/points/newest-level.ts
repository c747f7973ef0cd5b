// Reads the newest point of a station, and the energy of its last hour: by one statement that is cheap enough for many
// stations at once. The last hour is read from the points, as to plan for rollups takes longer than to add up 3,600.
import { compile, parameter } from '../../db/compile.ts';
import { sql } from '../../db/drizzle.ts';
import { PERIODS_VERSION } from '../../db/period-memory.ts';
import { audioData } from '../../db/schema.ts';
import { instantText } from '../../db/statement-values.ts';
import { inInterval } from '../../points/points.ts';
import { readNewest } from '../../points/search-back.ts';
import type { Store } from '../../store/store.ts';

export interface NewestLevel {
  readonly time: string;
  readonly level_db: number | null;
}

const { time, rms_db } = audioData;
const newestPoint = sql`${PERIODS_VERSION} as periods, (
    select json_build_object('time', ${instantText(time)}, 'level_db', ${rms_db})
    from ${audioData} where ${inInterval} order by ${time} desc limit 1
  ) as newest`;
const statement = compile(sql`select ${newestPoint}`, 'newest_level');

const leqSince = (since: string) =>
  sql`10 * log10(avg(power(10::float8, ${rms_db}::float8 / 10)) filter (where ${time} >= ${parameter(since)}))`;
const withLeq = compile(
  sql`select ${newestPoint}, ${leqSince('since_1')} as leq_1, ${leqSince('since_2')} as leq_2
    from ${audioData} where ${time} >= ${parameter('since_1')} and ${time} < ${parameter('now')}`,
  'newest_level_and_leq',
);

/** How many times as far back each next search goes: a station may be offline for years. */
const FURTHER = 64;

interface Asked {
  /** What it was: the search goes no further back if that is still there. */
  readonly known: NewestLevel | undefined;
  readonly now: string;
  /** Leaves out points that are dated later. */
  readonly to: string;
}

interface Row {
  readonly periods: string;
  readonly newest: NewestLevel | null;
  readonly leq_1?: number | null;
  readonly leq_2?: number | null;
}

/**
 * Also sees to it that the scale of answers is that of the periods now.
 *
 * @param since two times: Leq of the time from each to now is read too. The second is not earlier
 */
export async function newestLevel(
  { db, rollups }: Store,
  { known, now, to }: Asked,
  since?: readonly [string, string],
) {
  const [since_1, since_2] = since ?? ['', ''];
  const read = async (interval: { from: string; to: string }) => {
    const [row] = since
      ? await db.query<Row>(withLeq, { ...interval, since_1, since_2, now })
      : await db.query<Row>(statement, interval);
    await rollups.periods.see(db, row?.periods ?? '');
    const { newest = null, leq_1 = null, leq_2 = null } = row ?? {};
    return { count: newest ? 1 : 0, newest: newest ?? undefined, leq: [leq_1, leq_2] as const };
  };
  const found = known && (await read({ from: known.time, to }));
  return found?.newest ? found : readNewest({ from: null, to }, now, 1, read, FURTHER);
}
