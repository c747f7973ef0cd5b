// Reads the health of the policies: which of TimescaleDB's jobs fail, since when, and how far their rollups are behind.
import pg from 'pg';
import type { Database, Statement } from '../db/database.ts';

/** One job. Times are canonical. */
export interface JobHealth {
  jobId: number;
  /** Such as `policy_retention`. */
  procedure: string;
  /** The table or aggregate that it works on. */
  relation: string;
  /** Whether its latest run failed. */
  failing: boolean;
  lastSuccess: string | null;
  /** When the latest run ended, if it failed. */
  lastFailure: string | null;
  /** How many runs have failed in all. */
  failures: number;
  /** The message of the latest failure; null if this role may not read it. */
  lastMessage: string | null;
  nextStart: string | null;
  /**
   * From the newest time that is stored in the aggregate to now, for a job that refreshes one. Also grows while no
   * points arrive. Null if nothing is stored.
   */
  lagSeconds: number | null;
}

const MESSAGES = 'audio_data_job_messages';

const time = (of: string) =>
  `case when isfinite(${of}) then to_char((${of}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') end`;

const available: Statement = {
  text: `select to_regclass('timescaledb_information.job_stats') is not null as jobs,
    coalesce(has_function_privilege(to_regprocedure('${MESSAGES}()')::oid, 'execute'), false) as messages`,
  parameters: [],
};

function health(messages: boolean): Statement {
  return {
    text: `
      select job_id as "jobId", jobs.proc_name as procedure, jobs.hypertable_name as relation,
        last_run_status is not distinct from 'Failed' as failing,
        ${time('last_successful_finish')} as "lastSuccess",
        case when last_run_status = 'Failed' then ${time("last_run_started_at + coalesce(last_run_duration, interval '0')")} end as "lastFailure",
        coalesce(total_failures, 0)::int as failures, ${messages ? 'message' : 'null'} as "lastMessage",
        ${time('stats.next_start')} as "nextStart",
        case when jobs.proc_name = 'policy_refresh_continuous_aggregate' and isfinite(stored) then
          extract(epoch from now() - stored)::float8 end as "lagSeconds"
      from timescaledb_information.jobs
      join timescaledb_information.job_stats as stats using (job_id)
      left join _timescaledb_catalog.continuous_agg
        on user_view_schema = jobs.hypertable_schema and user_view_name = jobs.hypertable_name
      cross join lateral (
        select case when has_table_privilege(quote_ident(user_view_schema) || '.' || quote_ident(user_view_name), 'select')
          then _timescaledb_functions.to_timestamp(_timescaledb_functions.cagg_watermark(mat_hypertable_id)) end as stored
      ) as newest
      ${messages ? `left join ${MESSAGES}() using (job_id)` : ''}
      where jobs.hypertable_schema = current_schema() and jobs.hypertable_name like 'audio\\_data%'
      order by job_id`,
    parameters: [],
  };
}

/** @returns a record for each policy, by job; [] where there is no TimescaleDB */
export async function policyHealth(db: Pick<Database, 'query'>): Promise<JobHealth[]> {
  const [found] = await db.query<{ jobs: boolean; messages: boolean }>(available);
  return found?.jobs ? await db.query<JobHealth>(health(found.messages)) : [];
}

/** The policies that fail with one message, from which one thing follows. */
export interface Failure {
  readonly topic: string;
  readonly jobs: readonly JobHealth[];
}

/** @returns what fails, by message: a fault of the server makes every policy fail alike */
export function failuresOf(jobs: readonly JobHealth[]): Failure[] {
  const failing = jobs.filter((job) => job.failing);
  const topics = Map.groupBy(failing, (job) => `${job.lastMessage} ${meaningOf(job)}`);
  return Array.from(topics, ([topic, alike]) => ({ topic, jobs: alike }));
}

/** @returns what fails, since when, why, and what follows from it, in a line */
export function describeFailure({ jobs }: Failure): string {
  const [job, ...others] = jobs;
  if (!job) return 'No policy fails';
  const all = others.length > 0;
  const since = latestOf(jobs.map(({ lastSuccess }) => lastSuccess));
  const success = since === null ? 'never succeeded' : `last succeeded at ${since}`;
  const failures = jobs.reduce((sum, each) => sum + each.failures, 0);
  const message = job.lastMessage ?? 'unknown to this role: run `npm run migrate` with READER_ROLE';
  const names = jobs.map(({ procedure, relation }) => `${procedure} of ${relation}`);
  const who = all ? `${jobs.length} policies fail` : `A policy fails: ${names[0]} fails`;
  const them = all ? 'they have' : 'it has';
  const list = all
    ? ` They are ${names.slice(0, MOST_NAMES).join(', ')}${names.length > MOST_NAMES ? ' and others' : ''}.`
    : '';
  return `${who}; ${them} ${success}, and failed ${failures} times.${list} ${all ? 'Their' : 'Its'} message: ${message}. ${meaningOf(job)}`;
}

const MOST_NAMES = 3;

function latestOf(times: readonly (string | null)[]): string | null {
  return (
    times
      .filter((each) => each !== null)
      .toSorted()
      .at(-1) ?? null
  );
}

function meaningOf({ procedure, lastMessage }: JobHealth): string {
  if (/^cannot drop portal/.test(lastMessage ?? ''))
    return 'The work takes effect nevertheless: it is the server that reports it so';
  return MEANING[procedure] ?? 'See timescaledb_information.job_errors';
}

const MEANING: Readonly<Record<string, string>> = {
  policy_refresh_continuous_aggregate:
    'Until it succeeds statistics stay exact, but read more points and take longer',
  policy_compression: 'Until it succeeds points take more space',
  policy_retention: 'Until it succeeds old points stay',
};

/**
 * Creates the function that tells a reader why jobs fail: TimescaleDB shows that only to their owner. Nobody else may
 * call it until it is granted.
 */
export async function createMessagesFunction(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ schema: string }>('select current_schema() as schema');
  const schema = rows[0]?.schema ?? 'public';
  const name = `${pg.escapeIdentifier(schema)}.${MESSAGES}`;
  // the bound stands apart from its comparison, so the view uses its index and skips months of failures
  const body = `
    select jobs.job_id, latest.err_message
    from timescaledb_information.jobs
    join timescaledb_information.job_stats as stats on stats.job_id = jobs.job_id and last_run_status = 'Failed'
    cross join lateral (select last_run_started_at - interval '1 hour' as since offset 0) as bound
    cross join lateral (
      select err_message from timescaledb_information.job_errors as errors
      where errors.job_id = jobs.job_id and start_time > bound.since
      order by start_time desc limit 1
    ) as latest
    where jobs.hypertable_schema = ${pg.escapeLiteral(schema)} and jobs.hypertable_name like 'audio\\_data%'`;
  await client.query(`
    create or replace function ${name}() returns table (job_id integer, message text)
    language sql stable security definer set search_path = pg_catalog, pg_temp
    as ${pg.escapeLiteral(body)}`);
  await client.query(`revoke all on function ${name}() from public`);
}

export async function grantMessagesFunction(client: pg.Client, role: string): Promise<void> {
  await client.query(`grant execute on function ${MESSAGES}() to ${pg.escapeIdentifier(role)}`);
}
