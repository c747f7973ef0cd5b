// Reads with one statement: a station's newest point, the highest level of the last 10 s, Leq since two instants,
// excluded ranges left out, and the settings. Cheap enough for many stations: Leq comes from the points, since planning
// for rollups takes longer than adding up 3,600 points.
import { AFTER_LAST_INSTANT, type Interval } from '../../contract/instant.ts';
import { annotationsVersion } from '../../database/annotation-memory.ts';
import { compile, instantText, parameter, sql } from '../../database/drizzle.ts';
import { audioData, tables } from '../../database/schema.ts';
import type { StationSettings } from '../../database/station-schemas.ts';
import { inInterval } from '../../points/points.ts';
import { readNewest } from '../../points/search-back.ts';
import type { Store } from '../../rollups/store.ts';

const { time, rms_db, frequency_hz } = audioData;
const leqSince = (since: string) =>
  sql`10 * log10(avg(power(10::float8, ${rms_db}::float8 / 10)) filter (where ${time} >= ${parameter(since)}))`;
const statement = compile(
  sql<Row>`
  select ${annotationsVersion} as annotations,
    (select to_json(station) from ${tables.station} as station) as settings, (
      select json_build_object('time', ${instantText(time)}, 'level_db', ${rms_db}, 'frequency_hz', ${frequency_hz})
      from ${tables.points} where ${inInterval} order by ${time} desc limit 1
    ) as newest, (
      select max(${rms_db}) from ${tables.points}
      where ${time} >= ${parameter('now')}::timestamptz - interval '10 s' and ${time} < ${parameter('to')}
    ) as max_10s_db,
    (select ${instantText(sql`max(${time})`)} from ${tables.points} where ${time} >= ${parameter('to')}
      and ${time} < ${sql.raw(`'${AFTER_LAST_INSTANT}'`)}) as ahead_until,
    json_build_array(${leqSince('since_1')}, ${leqSince('since_2')}) as leq
  from ${tables.points} where ${time} >= ${parameter('since_1')} and ${time} < ${parameter('now')} and not ${time} <@ (
    select coalesce(range_agg(tstzrange(since, until)), '{}') from ${tables.exclusions}
    where until > ${parameter('since_1')} and since < ${parameter('now')}
  )`,
  'newest_level',
);

/** How many times further back each read goes: a station may be offline for years. */
const FURTHER = 64;

interface Row {
  readonly annotations: string;
  readonly settings: StationSettings | null;
  readonly newest: { time: string; level_db: number | null; frequency_hz: number | null } | null;
  readonly max_10s_db: number | null;
  readonly ahead_until: string | null;
  readonly leq: readonly [number | null, number | null];
}

interface NewestLevelQuery {
  /** The newest time of an earlier call: the search goes further back only if it finds no point from there on. */
  readonly known: string | null | undefined;
  readonly now: string;
  /** Ignores points dated later. */
  readonly to: string;
  /** Two starts, in order: Leq is read from each of them to `now`. */
  readonly since: readonly [string, string];
}

/** Also updates the known periods and exclusions. */
export async function newestLevel({ db, rollups }: Store, { known, now, to, since }: NewestLevelQuery) {
  const [since_1, since_2] = since;
  const read = async (interval: Interval) => {
    const [row] = await db.query(statement, { ...interval, since_1, since_2, now });
    if (!row) throw new Error('The newest level has no row');
    await rollups.annotations.see(db, row.annotations);
    return { ...row, count: row.newest ? 1 : 0 };
  };
  const found = known ? await read({ from: known, to }) : undefined;
  return found?.newest ? found : readNewest({ from: null, to }, now, 1, read, FURTHER);
}
