// Reads and sets one policy of TimescaleDB. Does not replace a policy that is right: a new one forgets when it ran.
import type pg from 'pg';

/** The settings of a policy that this file compares. */
interface JobConfig {
  drop_after?: string | null;
  start_offset?: string | null;
  end_offset?: string | null;
  compress_after?: string | null;
}

/** @returns the settings of a policy of a table or aggregate; undefined if there is none */
export async function configOf(
  client: pg.Client,
  relation: string,
  procedure: string,
): Promise<JobConfig | undefined> {
  const { rows } = await client.query<{ config: JobConfig }>(
    `select config from timescaledb_information.jobs
     where hypertable_schema = current_schema() and hypertable_name = $1 and proc_name = $2`,
    [relation, procedure],
  );
  return rows[0]?.config;
}

async function sameInterval(client: pg.Client, a: string | null, b: string | null): Promise<boolean> {
  const { rows } = await client.query('select $1::interval is not distinct from $2::interval as same', [
    a,
    b,
  ]);
  return rows[0].same;
}

/** @param wanted an interval, or `off` */
export async function setRetention(client: pg.Client, relation: string, wanted: string): Promise<void> {
  const present = (await configOf(client, relation, 'policy_retention'))?.drop_after;
  if (present && wanted !== 'off' && (await sameInterval(client, present, wanted))) return;
  if (present) await client.query('select remove_retention_policy($1::regclass)', [relation]);
  if (wanted !== 'off')
    await client.query('select add_retention_policy($1::regclass, $2::interval)', [relation, wanted]);
}

/** A refresh covers the time from `start` ago to `end` ago; with `start` null, from the first point. */
export async function setRefresh(
  client: pg.Client,
  relation: string,
  { start, end, every }: { start: string | null; end: string; every: string },
): Promise<void> {
  const present = await configOf(client, relation, 'policy_refresh_continuous_aggregate');
  if (present) {
    if (
      (await sameInterval(client, present.start_offset ?? null, start)) &&
      (await sameInterval(client, present.end_offset ?? null, end))
    )
      return;
    await client.query('select remove_continuous_aggregate_policy($1::regclass)', [relation]);
  }
  await client.query(
    `select add_continuous_aggregate_policy($1::regclass, start_offset => $2::interval,
       end_offset => $3::interval, schedule_interval => $4::interval)`,
    [relation, start, end, every],
  );
}

/** @param every how often the policy runs; null is TimescaleDB's choice */
export async function setColumnstore(
  client: pg.Client,
  relation: string,
  after: string,
  every: string | null = null,
): Promise<void> {
  const present = await configOf(client, relation, 'policy_compression');
  if (present && (await sameInterval(client, present.compress_after ?? null, after))) return;
  if (present) await client.query('call remove_columnstore_policy($1::regclass)', [relation]);
  await client.query(
    'call add_columnstore_policy($1::regclass, after => $2::interval, schedule_interval => $3::interval)',
    [relation, after, every],
  );
}

/**
 * Puts the policies of these tables and aggregates on a fixed schedule. Otherwise the scheduler runs a failed job
 * later and later, up to five times its interval. The policies that it changes run at once, a second apart.
 */
export async function keepSchedule(client: pg.Client, relations: readonly string[]): Promise<void> {
  await client.query(
    `select alter_job(job_id, fixed_schedule => true, next_start => now(),
       initial_start => now() + row_number() over (order by job_id) * interval '1 second')
     from timescaledb_information.jobs
     where hypertable_schema = current_schema() and hypertable_name = any($1)
       and proc_name like 'policy\\_%' and not fixed_schedule`,
    [relations],
  );
}
