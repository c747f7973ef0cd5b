// Measures how far the rollups (drizzle/0003) are behind the points, and whether a process refreshes them.
import type { Queries } from '../database/database.ts';
import { compile, instantText, sql } from '../database/drizzle.ts';
import { stationSchema, tables } from '../database/schema.ts';
import type { RollupRefresh } from '../operations/service/contract.ts';

/** More waiting minutes than this are many: if a refresh runs once a minute, fewer wait. */
const MANY_MINUTES = 60;
/** Counts the minutes of this many days and extrapolates the rest: counting all would block an embedded database. */
const COUNTED_DAYS = 3;
const MOST_DAYS = 400;

const refreshRight = compile(
  sql<{
    is: boolean;
  }>`select coalesce(has_function_privilege(to_regprocedure('${stationSchema}.audio_data_refresh(integer)'), 'execute'), false) as is`,
);

/** Whether this role may refresh the rollups, and so read their backlog. False if there are none. */
export async function mayRefresh(db: Queries): Promise<boolean> {
  const [found] = await db.query(refreshRight);
  return found?.is ?? false;
}

interface Backlog {
  /** The number of minutes to recount, an estimate if they lie in more than three days; null if all points must be recounted. */
  readonly minutes: number | null;
  /** The start of the oldest waiting minute, canonical. */
  readonly oldest: string | null;
  /** The time of the last refresh, canonical. */
  readonly refreshed: string;
  /** Whether the last refresh was long ago, by the clock of the database. */
  readonly isOld: boolean;
}

const backlog = compile(
  sql<Backlog>`
    with recursive state as (
      select (noting is null or noting is distinct from ${stationSchema}.audio_data_noting()) and exists (select from ${tables.points}) as is_all,
        refreshed_at
      from ${tables.refreshes}
    ), note as not materialized (
      select bucket, seconds from ${tables.notes}
      where kind = 'changed' and not (select is_all from state)
    ), day (start) as (
      select date_trunc('day', min(bucket), 'UTC') from note
      union all
      select (select date_trunc('day', min(bucket), 'UTC') from note where bucket >= start + interval '24 hours')
      from day where start is not null
    )
    select
      case when not is_all then coalesce((
        select round(avg(minutes) * (select count(start) from (select start from day limit ${sql.raw(String(MOST_DAYS))}) as days))::int
        from (select start from day limit ${sql.raw(String(COUNTED_DAYS))}) as days, lateral (
          select sum(seconds) / 60 as minutes from (
            select distinct bucket, seconds from note where bucket >= start and bucket < start + interval '24 hours'
          ) as changes
        ) as counted where start is not null
      ), 0) end as minutes,
      (select ${instantText(sql`min(bucket)`)} from note where bucket >= '0001-01-01Z' and bucket < '10000-01-01Z') as oldest,
      ${instantText(sql`refreshed_at`)} as refreshed, refreshed_at < now() - interval '10 minutes' as "isOld"
    from state`,
  'rollup_backlog',
);

export async function readBacklog(db: Queries): Promise<Backlog | undefined> {
  const [row] = await db.query(backlog);
  return row;
}

/** Whether a refresh of this many minutes takes a while; null stands for all. */
export const isMany = (minutes: number | null) => minutes === null || minutes > MANY_MINUTES;

/** For example `1,440 minutes`. Not all need to have points: a change of chunks counts as a change of whole days. */
export function minutesText(minutes: number | null): string {
  if (minutes === null) return 'all minutes';
  return `${minutes.toLocaleString('en')}${minutes < 1440 * MOST_DAYS ? '' : ' or more'} minutes`;
}

/** @returns whether any process refreshes, here or on the primary; null if this role may not read that */
export async function refreshState(db: Queries): Promise<RollupRefresh | null> {
  const found = (await mayRefresh(db)) ? await readBacklog(db) : undefined;
  if (!found) return null;
  const { minutes, oldest, refreshed, isOld } = found;
  const isStalled = isOld && minutes !== 0;
  return {
    state: isStalled ? 'stalled' : isMany(minutes) ? 'catching up' : 'current',
    minutes_waiting: minutes,
    oldest_waiting: oldest,
    last_refresh: refreshed,
  };
}
