// Finds the points above a level by the maxima of minutes (audio_data_totals).
import { compile, instantText, parameter, type SQL, sql } from '../database/drizzle.ts';
import { audioData, stationSchema, tables } from '../database/schema.ts';

const [from, to] = [sql`${parameter('from')}::timestamptz`, sql`${parameter('to')}::timestamptz`];

const minuteOf = (time: SQL) => sql`date_bin('1 minute', ${time}, '1970-01-01Z')`;
const micros = (time: SQL) => sql`(extract(epoch from ${time}) * 1000000)::bigint`;
const timeOf = (micros: SQL) => sql`'1970-01-01Z'::timestamptz + ${micros} / 60000000 * interval '1 minute'`;

/** The minutes of `[from, to)` whose maximum meets a condition, as of the last refresh. */
export const minutesWhose = (condition: SQL, join = sql``) => sql`
  select bucket, point_count from ${tables.totals} ${join}
  where seconds = 60 and bucket >= ${minuteOf(from)} and bucket < ${to} and ${condition}`;

/** The minutes in which `from` and `to` lie: their maxima may be of points outside. */
export const END_MINUTES = sql`
  select ${minuteOf(from)} as bucket, 0 as point_count union all select ${minuteOf(to)}, 0`;

/** For the minutes of {@link pointsIn}: whether a minute's stored values are still valid. */
export const IS_FRESH = sql`not exists (select from changed where bucket >= since and bucket < until)`;

/**
 * A relation with the name and the columns of the points, for a statement whose parameters `from` and `to` are
 * instants. It sees minutes, their changes and the points in one snapshot, so it misses no point: it reads all points
 * of a changed minute.
 *
 * @param minutes the select of the starts of the minutes to read, such as {@link minutesWhose}
 * @param condition on the points
 */
export const pointsIn = (minutes: SQL, condition: SQL): SQL => sql`(
    with changed as materialized (
      select ${timeOf(sql`lower(range)`)} as since, ${timeOf(sql`upper(range)`)} as until
      from ${stationSchema}.audio_data_rollup_state(${minuteOf(from)}, ${minuteOf(sql`${to} + interval '59.999999 s'`)}) as state,
        unnest(
          int8multirange(int8range(${micros(minuteOf(from))}, ${micros(minuteOf(sql`${to} + interval '59.999999 s'`))}))
            * (coalesce(changed, '{}')::int8multirange + coalesce(sparse, '{}')::int8multirange)
        ) as range
    ),
    zones as materialized (
      select unnest(range_agg(tstzrange(greatest(since, ${from}), least(until, ${to})))) as zone
      from (
        select since, until from changed
        union all
        select bucket, bucket + interval '1 minute' from (${minutes}) as minutes
      ) as ranges
    )
    select points.* from zones cross join lateral (
      select * from ${tables.points} where time >= lower(zone) and time < upper(zone) and ${condition} offset 0
    ) as points
  ) as ${audioData}`;

/**
 * For the same parameters: finds the newest minutes that together hold `most` points. Selects the start of the oldest
 * of these minutes, and the number of their points. Null if there is no minute.
 */
export const newestMinutes = (minutes: SQL, name: string) =>
  compile(
    sql<{ since: string | null; points: number | null }>`
  select ${instantText(sql`greatest(min(bucket), ${from})`)} as since, max(points)::float8 as points
  from (
    select bucket, point_count, sum(point_count) over (order by bucket desc) as points from (${minutes}) as minutes
  ) as newest
  where points - point_count < ${parameter('most')}::bigint`,
    name,
  );
