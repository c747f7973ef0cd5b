// The service's queries, hand-written: plain SQL over the points, as fast as a good engineer would write it.

import type { Statement } from '../src/database/database.ts';
import { ROLLUP_RELATIONS } from '../src/database/rollups.ts';

const window = 'time >= $1 and time < $2';
export const instant = (time: string) =>
  `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
export const point = `${instant('time')} as time, rms_db, frequency_hz, is_silence`;

/** Keeps a mean between the extremes as they read: a `real` that reads -10.2 is -10.19999981 as float8. */
const mean = (figure: string, min: string, max: string) =>
  `greatest(least(${figure}, ${max}::text::float8), ${min}::text::float8)`;

/** Leq with levels at the floor counted as zero energy; null if there are no other levels. */
const low = (leq: string, abovePower: string, all: string) => `
      case when ${abovePower} > 0 then least(10 * log(${abovePower} / ${all}::float8), ${leq}) end`;

const summaryLeq = mean(
  '10 * log(sum(power) / nullif(sum(measured), 0)::float8)',
  'min(min_db)',
  'max(max_db)',
);
const seriesLeq = mean('10 * log(avg(power(10::float8, rms_db::float8 / 10)))', 'min(rms_db)', 'max(rms_db)');

/** Scans twice: by level, for the percentiles, and by frequency. */
export const rawSummary: Statement = {
  parameters: ['from', 'to'],
  text: `
    with levels as (
      select round(rms_db::float8 * 10)::int as level, count(*) as points, count(rms_db) as measured,
        sum(rms_db::float8) as sum_db, min(rms_db) as min_db, max(rms_db) as max_db,
        sum(power(10::float8, rms_db::float8 / 10)) as power, count(*) filter (where is_silence) as silent
      from audio_data where ${window} group by 1
    ), reached as (
      select level / 10::float8 as level, sum(measured) over (order by level) as up_to, sum(measured) over () as all_of
      from levels where level is not null
    )
    select coalesce(sum(points), 0)::float8 as point_count,
      ${mean('sum(sum_db) / nullif(sum(measured), 0)::float8', 'min(min_db)', 'max(max_db)')} as avg_db,
      max(max_db) as max_db,
      min(min_db) as min_db,
      ${summaryLeq} as leq_db,
      ${low(summaryLeq, 'sum(power) filter (where level > -500)', 'sum(measured)')} as leq_low_db,
      ${[1, 5, 10, 50, 90, 95, 99]
        .map((n) => `(select min(level) from reached where up_to * 100 >= ${100 - n} * all_of) as l${n}_db`)
        .join(', ')},
      (
        select frequency_hz from audio_data where ${window} and frequency_hz is not null
        group by 1 order by count(*) desc, 1 limit 1
      ) as dominant_frequency_hz,
      100 * sum(silent)::float8 / nullif(sum(points), 0)::float8 as silence_percent,
      null as overload_percent
    from levels`,
};

export const rawSeries: Statement = {
  parameters: ['from', 'to', 'seconds'],
  text: `
    with points as (
      select date_bin($3::int * interval '1 second', time, '1970-01-01Z') as start,
        count(*) as points, max(rms_db) as max_db, min(rms_db) as min_db,
        ${mean('avg(rms_db)', 'min(rms_db)', 'max(rms_db)')} as avg_db,
        ${seriesLeq} as leq_db,
        ${low(
          seriesLeq,
          'sum(power(10::float8, rms_db::float8 / 10)) filter (where round(rms_db::float8 * 10) > -500)',
          'count(rms_db)',
        )} as leq_low_db,
        count(*) filter (where is_silence) as silent
      from audio_data where ${window} group by 1
    ), reached as (
      select start, level / 10::float8 as level, sum(points) over (partition by start order by level) as up_to,
        sum(points) over (partition by start) as all_of
      from (
        select date_bin($3::int * interval '1 second', time, '1970-01-01Z') as start,
          round(rms_db::float8 * 10)::int as level, count(*) as points
        from audio_data where ${window} and rms_db is not null group by 1, 2
      ) as counted
    ), exceeded as (
      select start, ${[10, 50, 90]
        .map((n) => `min(level) filter (where up_to * 100 >= ${100 - n} * all_of) as l${n}_db`)
        .join(', ')}
      from reached group by start
    ), frequencies as (
      select distinct on (start) start, frequency_hz
      from (
        select date_bin($3::int * interval '1 second', time, '1970-01-01Z') as start, frequency_hz, count(*) as points
        from audio_data where ${window} and frequency_hz is not null group by 1, 2
      ) as counted
      order by start, points desc, frequency_hz
    )
    select ${instant('start')} as time, coalesce(points, 0)::float8 as point_count, avg_db, max_db, min_db, leq_db,
      leq_low_db, l10_db, l50_db, l90_db, frequency_hz as dominant_frequency_hz, 100 * silent::float8 / points as silence_percent
    from generate_series(date_bin($3::int * interval '1 second', $1, '1970-01-01Z'), $2::timestamptz - interval '1 us',
      $3::int * interval '1 second') as start
    left join points using (start) left join exceeded using (start) left join frequencies using (start)
    order by start`,
};

export const rawLatest: Statement = {
  parameters: ['limit'],
  text: `select ${point} from audio_data order by audio_data.time desc limit $1`,
};

export const rawLoud: Statement = {
  parameters: ['from', 'to', 'threshold', 'limit'],
  text: `
    select ${point} from audio_data where ${window} and rms_db > $3::real
    order by audio_data.time desc, rms_db, frequency_hz, is_silence limit $4`,
};

/** The level of the 1,000th loudest point. */
export const rareLevel: Statement<{ level: number }> = {
  parameters: [],
  text: `select min(rms_db)::float8 as level from (
    select rms_db from audio_data where rms_db is not null order by rms_db desc limit 1000
  ) as loudest`,
};

export const sizes: Statement<{ points: number; rollups: number }> = {
  parameters: [],
  text: `
    select hypertable_size('audio_data')::float8 / 1e6 as points,
      sum(pg_total_relation_size(name::regclass))::float8 / 1e6 as rollups
    from unnest(array[${ROLLUP_RELATIONS.map((name) => `'${name}'`)}]) as name`,
};
