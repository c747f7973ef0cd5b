import { expect, it } from 'vitest';
import { migrate } from '../../../src/cli/migrate.ts';
import {
  policyHealth,
  policyWarning,
  policyWarnings,
} from '../../../src/database/timescale/policy-health.ts';
import { startBackgroundChecks } from '../../../src/telemetry/background-checks.ts';
import { describeServer } from '../../engines.ts';
import { arrangements } from '../arrangements.ts';

const { open, addRole, database, empty } = arrangements();

/** Makes the latest run of every retention policy look failed, as the scheduler records it. */
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

describeServer('timescale', 'The health of the policies', (_, server) => {
  it('is readable by the read-only role, including messages once migrated', async () => {
    const { url, owner } = await database(server, server.template);
    await owner.query(FAIL);
    const readerRole = `health_reader_${process.pid}`;
    const db = open((await addRole(url, readerRole)).url);
    const [unknown] = (await policyHealth(db)).filter((job) => job.failing);
    expect(unknown?.message).toBe(null);
    const warnings: string[] = [];
    const log = { info() {}, warn: (_: object, message: string) => void warnings.push(message) };
    await migrate({ url, readerRole, log });
    const checks = startBackgroundChecks(db, log);
    await checks.check();
    checks.stop();
    const jobs = await policyHealth(db);
    expect(jobs.filter((job) => job.failing)).toEqual([
      {
        jobId: unknown?.jobId,
        procedure: 'policy_compression',
        relation: 'audio_data',
        deletesPoints: false,
        failing: true,
        lastSuccess: null,
        failures: 3,
        message: 'no space left on device',
      },
    ]);
    const warning =
      'A policy fails: policy_compression of audio_data has failed 3 times, and never succeeded. Its message: no space left on device. Until it succeeds, points take more space';
    expect(warnings.filter((text) => text.startsWith('A policy fails'))).toEqual([warning, warning]);
  });

  it('is logged by the migration of each station for its own policies alone', async () => {
    const { run, owner, logged } = await empty(server);
    const garden = { station: { name: 'garden', made: {} } };
    await run();
    await run(garden);
    await owner.query(FAIL);
    logged.length = 0;
    const failures = () => logged.splice(0).filter((line) => line.includes('A policy fails'));
    const warning = expect.stringContaining('policy_compression of audio_data has failed');
    await run();
    expect(failures()).toEqual([warning]);
    await run({ station: { name: 'garden' } });
    expect(failures()).toEqual([warning]);
  });

  it('includes a retention policy of the points that is not ours, in the logs of the migration and the service', async () => {
    const { url, run, owner, logged } = await empty(server, server.template);
    const db = open((await addRole(url, `foreign_reader_${process.pid}`)).url);
    const warnings = async () => {
      logged.length = 0;
      await run({ readerRole: `foreign_reader_${process.pid}` });
      const lines: string[] = [];
      const checks = startBackgroundChecks(db, { warn: (_, message) => void lines.push(`warn ${message}`) });
      await checks.check();
      checks.stop();
      return [logged, lines].map((lines) => lines.filter((line) => line.includes('retention policy')));
    };
    expect(await warnings()).toEqual([[], []]);
    const { rows } = await owner.query(
      `select add_retention_policy('audio_data', interval '400 days') as id`,
    );
    const warning = expect.stringMatching(
      new RegExp(
        `deletes points of audio_data without .*RAW_RETENTION.*select delete_job\\(${rows[0].id}\\)`,
      ),
    );
    expect(await warnings()).toEqual([[warning], [warning]]);
    await owner.query(`select alter_job($1, scheduled => false)`, [rows[0].id]);
    expect(await warnings()).toEqual([[], []]);
  });

  it('explains failures, even one that the server wrongly reports', () => {
    const job = {
      ...{ jobId: 1, procedure: 'policy_retention', relation: 'audio_data_1min', failures: 2 },
      ...{ failing: true, deletesPoints: false },
      lastSuccess: '2026-01-01T00:00:00.000000Z',
      message: 'cannot drop portal "" while it is being set up' as string | null,
    };
    expect(policyWarning(job)).toMatch(/last succeeded at 2026-01-01T.* The work still takes effect/);
    expect(policyWarning({ ...job, failures: 1 })).toContain('has failed once, and last succeeded at ');
    expect(policyWarning({ ...job, message: 'deadlock' })).toMatch(/Until it succeeds, old minutes stay/);
    expect(policyWarning({ ...job, message: null })).toMatch(/run `npm run migrate` with READER_ROLE/);
    const others = [
      { ...job, jobId: 2, relation: 'garden.audio_data_1min' },
      { ...job, jobId: 3, procedure: 'policy_compression' },
      { ...job, jobId: 4, message: 'deadlock' },
      { ...job, jobId: 5, procedure: 'policy_compression', message: 'deadlock' },
      { ...job, jobId: 6, failing: false },
    ];
    expect(policyWarnings([job, ...others])).toMatchObject([
      {
        jobs: [1, 2, 3],
        line: expect.stringMatching(/wrongly reports a failure\. 2 other policies fail alike$/),
      },
      { jobs: [4], line: expect.stringMatching(/old minutes stay$/) },
      { jobs: [5], line: expect.stringMatching(/more space$/) },
    ]);
  });
});

describeServer('postgres', 'The health of the policies', (engine) => {
  it('is empty without TimescaleDB', async () => {
    const test = await engine.open();
    expect(await policyHealth(test.db)).toEqual([]);
    await test.close();
  });
});
