// Sets TimescaleDB's policies: when points and minutes become columns, and when minutes are counted and dropped.
import type pg from 'pg';
import type { Log, RunStatement } from '../database.ts';
import { isBadInterval } from '../faults.ts';

/** The operator's settings of the policies: an interval, `at once` or `off`, or undefined if not set. */
export interface PolicySettings {
  /** How long after its end a day of points moves from rows to the columnstore. */
  columnstoreAfter?: string | undefined;
  aggregateRetention?: string | undefined;
}

const AT_ONCE = 'at once';

/** @returns what is wrong with COLUMNSTORE_AFTER, if anything */
export async function columnstoreFault(run: RunStatement, value = AT_ONCE): Promise<string | undefined> {
  if (value === AT_ONCE) return undefined;
  return run('select now() - $1::interval', [value]).then(
    () => undefined,
    (error) => {
      if (!isBadInterval(error)) throw error;
      return `COLUMNSTORE_AFTER is '${value}', but must be an interval such as '2 days', or '${AT_ONCE}'`;
    },
  );
}

/**
 * The wanted settings of each policy; null leaves a setting unchanged.
 *
 * points: "at once" is minus the length of a chunk, so each run converts today's chunk too. An operator's own
 * setting stays.
 *
 * since: how far back a refresh looks. A refresh deletes minutes without points, even if their points have expired.
 * So it looks back a day less than the retention, and not past the oldest point while older minutes exist.
 *
 * in_rows: younger minutes stay in rows, which a refresh rewrites cheaply.
 */
const WANTED = `
  with job as (
    select * from timescaledb_information.jobs where hypertable_schema = current_schema()
  ), oldest as (
    select (select min(time) from audio_data) as point, (select min(bucket) from audio_data_1min) as minute
  )
  select
    case when $1 = '${AT_ONCE}' or $1 is null and not exists (
      select from job where hypertable_name = 'audio_data' and proc_name = 'policy_compression'
    ) then '-1 day' else $1 end as points,
    coalesce($2, (
      select coalesce(max(config ->> 'drop_after') filter (where proc_name = 'policy_retention'), 'off')
      from job where hypertable_name = 'audio_data_1min' having count(*) > 0
    ), '5 years') as minutes,
    least(kept - interval '1 day', case when minute < point - interval '1 minute' or point is null and minute is not null
      then date_trunc('hour', coalesce(now() - point, interval '1 day')) end)::text as since,
    coalesce(kept, '35 days')::text as in_rows,
    coalesce(raw_retention, 'off') as raw
  from oldest, audio_data_refreshes, cast(nullif(raw_retention, 'off') as interval) as kept`;

interface Wanted extends Record<'minutes' | 'in_rows' | 'raw', string> {
  readonly points: string | null;
  readonly since: string | null;
}

const FOUND = `
  select job_id as id, fixed_schedule as "isFixed", config @> wanted as "isRight", wanted
  from timescaledb_information.jobs,
    lateral (select jsonb_object_agg(key, value::interval) from jsonb_each_text($3)) as settings (wanted)
  where hypertable_schema = current_schema() and hypertable_name = $1 and proc_name = $2`;

/** On a fixed schedule: otherwise a failing policy runs later and later. */
const CHANGE = `
  select alter_job($1, config => config || $2, schedule_interval => coalesce($3, schedule_interval), fixed_schedule => true)
  from timescaledb_information.jobs where job_id = $1`;

/** Sets the policies. Changes neither correct settings nor how often a correct policy runs. */
export async function applyPolicies(
  client: pg.Client,
  { columnstoreAfter, aggregateRetention }: PolicySettings,
  log: Log,
): Promise<void> {
  const settings = [columnstoreAfter ?? null, aggregateRetention ?? null];
  const { rows } = await client.query<Wanted>(WANTED, settings);
  const [wanted] = rows;
  if (!wanted) throw new Error('audio_data_refreshes is empty');

  /** @param add creates the policy from the values of its settings, in their order */
  async function set(on: string, procedure: string, every: string | null, settings: object, add: string) {
    const { rows } = await client.query(FOUND, [on, procedure, settings]);
    const [job] = rows;
    if (!job) await client.query(add, Object.values(settings));
    else if (!job.isRight || !job.isFixed)
      await client.query(CHANGE, [job.id, job.wanted, job.isRight ? null : every]);
  }
  if (wanted.points !== null)
    await set(
      'audio_data',
      'policy_compression',
      '15 minutes',
      { compress_after: wanted.points },
      `call add_columnstore_policy('audio_data', $1::interval, schedule_interval => '15 minutes', initial_start => now())`,
    );
  // an end offset: the newest minute is still being written, and points dated ahead must not move the watermark
  await set(
    'audio_data_1min',
    'policy_refresh_continuous_aggregate',
    '1 minute',
    { start_offset: wanted.since, end_offset: '1 minute' },
    `select add_continuous_aggregate_policy('audio_data_1min', $1::interval, $2::interval, '1 minute',
       initial_start => now() + interval '1 second')`,
  );
  await set(
    'audio_data_1min',
    'policy_compression',
    null,
    { compress_after: wanted.in_rows },
    `call add_columnstore_policy('audio_data_1min', $1::interval, initial_start => now() + interval '2 seconds')`,
  );
  if (wanted.minutes === 'off')
    await client.query(`select remove_retention_policy('audio_data_1min', if_exists => true)`);
  else
    await set(
      'audio_data_1min',
      'policy_retention',
      null,
      { drop_after: wanted.minutes },
      `select add_retention_policy('audio_data_1min', $1::interval, initial_start => now() + interval '3 seconds')`,
    );
  const lasting = (retention: string) => (retention === 'off' ? 'without end' : `for ${retention}`);
  log.info(
    {},
    `The policies are in place: points are kept ${lasting(wanted.raw)}, minutes ${lasting(wanted.minutes)}`,
  );
}

/** Fills a new audio_data_1min from the existing points, because its policy does not look back to the first. */
export async function fillMinutes(client: pg.Client, log: Log): Promise<void> {
  const { rows } = await client.query(
    `select first::text, last::text from (
       select time_bucket('1 minute', min(time)) as first, time_bucket('1 minute', now() - interval '1 minute') as last
       from audio_data
     ) points where first < last and not exists (select from show_chunks('audio_data_1min'))`,
  );
  for (const { first, last } of rows) {
    log.info({}, `Filling audio_data_1min from the existing points, ${first} to ${last}`);
    // with bounds: a refresh without them would move the watermark to a point dated ahead
    await client.query(
      `call refresh_continuous_aggregate('audio_data_1min', $1::timestamptz, $2::timestamptz)`,
      [first, last],
    );
  }
}
