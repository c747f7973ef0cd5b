import { expect, it } from 'vitest';
import { migrate } from '../../src/cli/migrate.ts';
import { startBackgroundChecks } from '../../src/telemetry/background-checks.ts';
import { describeFailure, failuresOf, policyHealth } from '../../src/timescale/policy-health.ts';
import { arrangements } from '../db/arrangements.ts';
import { describeServer } from '../engines.ts';

const { open, addRole, database, empty } = arrangements();

/** Lets the latest run of every retention policy have failed, as the scheduler notes it. */
const FAIL = `
  insert into _timescaledb_internal.bgw_job_stat (job_id, last_start, last_finish, next_start, last_successful_finish,
    last_run_success, total_runs, total_duration, total_duration_failures, total_successes, total_failures,
    total_crashes, consecutive_failures, consecutive_crashes, flags)
  select job_id, '2026-01-01T00:00:00Z', '2026-01-01T00:00:02Z', '2026-01-01T00:10:00Z', '-infinity', false,
    3, '0', '6 s', 0, 3, 0, 3, 0, 0
  from timescaledb_information.jobs where proc_name = 'policy_compression' and hypertable_name = 'audio_data'
  on conflict (job_id) do update set last_start = excluded.last_start, last_finish = excluded.last_finish,
    last_successful_finish = '-infinity', last_run_success = false, total_runs = 3, total_failures = 3;
  insert into _timescaledb_internal.bgw_job_stat_history (job_id, execution_start, execution_finish, succeeded, data)
  select job_id, at, at + interval '2 s', false, jsonb_build_object('error_data', jsonb_build_object('message', message))
  from timescaledb_information.jobs, (values ('2025-12-31Z'::timestamptz, 'an older one'),
    ('2026-01-01T00:00:00Z', 'no space left on device')) as run (at, message)
  where proc_name = 'policy_compression' and hypertable_name = 'audio_data'`;

const JOB = {
  jobId: 1,
  failing: true,
  lastSuccess: null,
  lastFailure: null,
  failures: 2,
  nextStart: null,
  lagSeconds: null,
  lastMessage: 'cannot drop portal "" while it is being set up' as string | null,
};

describeServer('timescale', 'The health of the policies', (_, server) => {
  /** What the service logs when it looks twice, and twice again an hour later. */
  async function toldOf(db: ReturnType<typeof open>) {
    const lines: string[] = [];
    let now = Date.now();
    const lookout = startBackgroundChecks(
      db,
      { warn: (_fields, message) => void lines.push(message) },
      () => now,
    );
    for (const later of [0, 3_599_999, 1, 1]) {
      now += later;
      await lookout.check();
    }
    lookout.stop();
    return lines;
  }

  it('is read by the role that only reads, messages too once migrated', async () => {
    const { url, owner } = await database(server, server.template);
    await owner.query(FAIL);
    const now = `insert into audio_data values (date_trunc('minute', now()) - interval '10 minutes', -1, 440, false)`;
    await owner.query(now);
    await owner.query(`call refresh_continuous_aggregate('audio_data_1min', null, now())`);
    const readerRole = `health_reader_${process.pid}`;
    const db = open((await addRole(url, readerRole)).url);
    const [unknown] = (await policyHealth(db)).filter((job) => job.failing);
    expect(unknown?.lastMessage).toBe(null);
    const warnings: string[] = [];
    await migrate({
      url,
      readerRole,
      log: { info() {}, warn: (_fields, message) => void warnings.push(message) },
    });
    const jobs = await policyHealth(db);
    expect(jobs.filter((job) => job.failing)).toEqual([
      {
        ...JOB,
        jobId: unknown?.jobId,
        procedure: 'policy_compression',
        relation: 'audio_data',
        lastFailure: '2026-01-01T00:00:02.000000Z',
        failures: 3,
        lastMessage: 'no space left on device',
        nextStart: expect.any(String),
      },
    ]);
    const told = [
      'A policy fails: policy_compression of audio_data fails; it has never succeeded, and failed 3 times. Its message: no space left on device. Until it succeeds points take more space',
    ];
    expect(warnings.filter((text) => text.startsWith('A policy fails'))).toEqual(told);
    expect(await toldOf(db)).toEqual([...told, ...told]);
    const minute = jobs.find(
      ({ relation, procedure }) => relation === 'audio_data_1min' && /refresh/.test(procedure),
    );
    expect(minute?.lagSeconds).toBeGreaterThan(8 * 60);
    expect(minute?.lagSeconds).toBeLessThan(12 * 60);
  });

  it('of a server that only reports failures says so', () => {
    const job = {
      ...JOB,
      procedure: 'policy_refresh_continuous_aggregate',
      relation: 'audio_data_1min',
      lastSuccess: '2026-01-01T00:00:00.000000Z',
    };
    const told = (...jobs: (typeof job)[]) => failuresOf(jobs).map(describeFailure);
    expect(told(job)).toEqual([
      expect.stringMatching(/last succeeded at 2026-01-01T.* The work takes effect nevertheless/),
    ]);
    expect(told({ ...job, lastMessage: 'deadlock' })[0]).toMatch(/Until it succeeds statistics stay exact/);
    expect(told({ ...job, lastMessage: null })[0]).toMatch(/run `npm run migrate` with READER_ROLE/);
    expect(failuresOf([{ ...job, failing: false }])).toEqual([]);
  });

  it('is one line where many fail alike, and one more for each other message', () => {
    const many = Array.from({ length: 50 }, (_, n) => ({
      ...JOB,
      jobId: n,
      procedure: n % 2 ? 'policy_retention' : 'policy_compression',
      relation: `audio_data_${n}`,
    }));
    const full = many.slice(1, 2).map((job) => ({ ...job, lastMessage: 'no space left on device' }));
    const lines = failuresOf([...many, ...full]).map(describeFailure);
    expect(lines).toEqual([
      '50 policies fail; they have never succeeded, and failed 100 times. They are policy_compression of audio_data_0, policy_retention of audio_data_1, policy_compression of audio_data_2 and others. Their message: cannot drop portal "" while it is being set up. The work takes effect nevertheless: it is the server that reports it so',
      'A policy fails: policy_retention of audio_data_1 fails; it has never succeeded, and failed 2 times. Its message: no space left on device. Until it succeeds old points stay',
    ]);
  });

  it('keeps every policy on its schedule, and is idempotent', async () => {
    const { run, rows } = await empty(server);
    await run();
    const schedule = () =>
      rows(`select job_id, fixed_schedule, initial_start::text, config from timescaledb_information.jobs
        where hypertable_schema = 'public' order by job_id`);
    const first = await schedule();
    expect(first).toHaveLength(4);
    expect(first.filter((job) => !job.fixed_schedule)).toEqual([]);
    await run();
    expect(await schedule()).toEqual(first);
  });
});

describeServer('postgres', 'The health of the policies', (engine) => {
  it('is empty without TimescaleDB', async () => {
    const test = await engine.open();
    expect(await policyHealth(test.db)).toEqual([]);
    await test.close();
  });
});
