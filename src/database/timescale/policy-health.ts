// Reads which TimescaleDB policies fail, since when and why, and which delete points without making history.
import type pg from 'pg';
import type { Queries, Statement } from '../database.ts';
import { identifier } from '../drizzle.ts';

export interface JobHealth {
  jobId: number;
  /** For example `policy_retention`. */
  procedure: string;
  /** The table or aggregate that the policy works on. */
  relation: string;
  /** Whether it deletes points, which only our retention should: that keeps their minutes. */
  deletesPoints: boolean;
  failing: boolean;
  /** Canonical. */
  lastSuccess: string | null;
  failures: number;
  /** The message of the latest failure; null if there is none, or this role may not read it. */
  message: string | null;
}

const MESSAGES = 'audio_data_job_messages';

const available: Statement<{ jobs: boolean; messages: boolean }> = {
  text: `select to_regclass('timescaledb_information.job_stats') is not null as jobs,
    coalesce(has_function_privilege(to_regprocedure('${MESSAGES}()')::oid, 'execute'), false) as messages`,
  parameters: [],
};

/** @param messages SQL that gives the messages by job. @param condition SQL on the jobs */
const health = (messages: string, condition: string): Statement<JobHealth> => ({
  text: `
    select job_id as "jobId", jobs.proc_name as procedure,
      case when jobs.hypertable_schema <> current_schema() then jobs.hypertable_schema || '.' else '' end || jobs.hypertable_name as relation,
      jobs.proc_name = 'policy_retention' and jobs.hypertable_name = 'audio_data' and jobs.scheduled as "deletesPoints",
      last_run_status is not distinct from 'Failed' as failing, coalesce(total_failures, 0)::int as failures,
      case when isfinite(last_successful_finish)
        then to_char(last_successful_finish at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') end as "lastSuccess",
      message
    from timescaledb_information.jobs
    join timescaledb_information.job_stats using (job_id)
    left join ${messages} using (job_id)
    where jobs.hypertable_name like 'audio\\_data%' and ${condition}
    order by job_id`,
  parameters: [],
});

/** @returns a record for each policy, by job; [] if there is no TimescaleDB */
export async function policyHealth(db: Queries, of: 'all stations' | 'this station' = 'all stations') {
  const [found] = await db.query(available);
  if (!found?.jobs) return [];
  const messages = found.messages ? `${MESSAGES}()` : '(values (0, null)) as none (job_id, message)';
  return db.query(
    health(messages, of === 'all stations' ? 'true' : 'jobs.hypertable_schema = current_schema()'),
  );
}

/** @returns one line: what fails or deletes points, and the consequence; undefined if all is well */
export function policyWarning(job: JobHealth): string | undefined {
  if (job.deletesPoints)
    return `A retention policy deletes points of ${job.relation} without making history, so their statistics are lost. Let RAW_RETENTION remove old points, and remove the policy with \`select delete_job(${job.jobId})\``;
  return job.failing ? describeFailure(job) : undefined;
}

/**
 * Groups the policies that fail alike: one server fault fails those of all stations.
 *
 * @returns a line for each group, with the ids of its jobs. `topic` stays the same while the group grows or shrinks
 */
export function policyWarnings(
  health: readonly JobHealth[],
): { topic: string; jobs: number[]; line: string }[] {
  const faulty = health.filter((job) => policyWarning(job) !== undefined);
  const alike = Map.groupBy(faulty, ({ deletesPoints, jobId, procedure, message }) =>
    deletesPoints ? `${jobId}` : `${isWrongReport(message) ? '' : procedure} ${message}`,
  );
  return Array.from(alike, ([topic, group]) => {
    const [line = ''] = group.flatMap((job) => policyWarning(job) ?? []);
    const others = group.length - 1;
    const more =
      others === 0
        ? ''
        : `. ${others === 1 ? '1 other policy fails' : `${others} other policies fail`} alike`;
    return { topic, jobs: group.map(({ jobId }) => jobId), line: `${line}${more}` };
  });
}

const isWrongReport = (message: string | null) => message !== null && /^cannot drop portal/.test(message);

function describeFailure({ procedure, relation, ...job }: JobHealth): string {
  const success = job.lastSuccess === null ? 'never succeeded' : `last succeeded at ${job.lastSuccess}`;
  const message = job.message ?? 'unknown to this role: run `npm run migrate` with READER_ROLE';
  const consequence = isWrongReport(message)
    ? 'The work still takes effect: the server wrongly reports a failure'
    : `Until it succeeds, ${CONSEQUENCES[procedure] ?? 'its work is left undone'}`;
  return `A policy fails: ${procedure} of ${relation} has failed ${job.failures === 1 ? 'once' : `${job.failures} times`}, and ${success}. Its message: ${message}. ${consequence}`;
}

const CONSEQUENCES: Readonly<Record<string, string>> = {
  policy_refresh_continuous_aggregate: 'audio_data_1min reads more points',
  policy_compression: 'points take more space',
  policy_retention: 'old minutes stay',
};

/** Creates the function that shows granted roles why jobs fail: TimescaleDB shows that only to the jobs' owner. */
export async function createMessagesFunction(client: pg.Client): Promise<void> {
  // the bound is computed apart from its comparison, so the view uses its index and skips months of failures
  await client.query(`
    create or replace function ${MESSAGES}() returns table (job_id integer, message text)
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
      select jobs.job_id, err_message
      from timescaledb_information.jobs join timescaledb_information.job_stats as stats using (job_id)
      cross join lateral (select last_run_started_at - interval '1 hour' as since offset 0) as bound
      cross join lateral (
        select err_message from timescaledb_information.job_errors as errors
        where errors.job_id = jobs.job_id and start_time > since order by start_time desc limit 1
      ) as latest
      where last_run_status = 'Failed' and jobs.hypertable_name like 'audio\\_data%' $$;
    revoke all on function ${MESSAGES}() from public`);
}

export async function grantMessagesFunction(client: pg.Client, role: string): Promise<void> {
  await client.query(`grant execute on function ${MESSAGES}() to ${identifier(role)}`);
}
