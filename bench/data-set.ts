// Provides the points for measurements: the same each time, with refreshed rollups, and compressed by the policies.

import type pg from 'pg';
import type { RunStatement } from '../src/database/database.ts';
import { runOnClient } from '../src/database/session.ts';
import { refreshRollups } from '../src/rollups/refresh-rollups.ts';
import type { Say } from './figure.ts';

export interface DataSet {
  /** The time of the newest point, at which all intervals end. */
  readonly to: string;
  /** True if the bench generated the points, so that it may change them. */
  readonly made: boolean;
}

/** The comment on a table of generated points. */
const MARK = 'Points made by npm run bench';

/** Uses the points in the table. If there are none, generates `rate` points a second for `days` days up to now. */
export async function provideDataSet(
  client: pg.Client,
  { days, rate }: { days: number; rate: number },
  say: Say,
): Promise<DataSet> {
  const { rows: found } = await client.query(
    `select exists (select from audio_data) as filled, obj_description('audio_data'::regclass) as comment`,
  );
  if (!found[0].filled) {
    await client.query(`comment on table audio_data is '${MARK}'`);
    await makePoints(runOnClient(client), { days, rate }, say);
  }
  await runPolicies(client, say);
  const { rows } = await client.query(
    `select to_char(max(time) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as to from audio_data`,
  );
  return { to: rows[0].to, made: !found[0].filled || found[0].comment === MARK };
}

/** Generates `rate` points a second for `days` days up to now. The levels are the same in each run. */
export async function makePoints(
  run: RunStatement,
  { days, rate }: { days: number; rate: number },
  say: Say,
): Promise<void> {
  await run('select setseed(0.5)', []);
  const [first] = await run<{ start: string }>(
    `select (date_trunc('minute', now()) - $1::int * interval '1 day')::text as start`,
    [days],
  );
  for (let day = 0; day < days; day++) {
    await run(POINTS_OF_A_DAY, [first?.start ?? '', day, rate]);
    say(`${day + 1} of ${days} days: ${((day + 1) * rate * 86_400).toLocaleString('en')} points`);
  }
}

/**
 * The level follows the time of day, with noise, at full precision. Once or twice a day it rises up to -1 dB for ten
 * seconds. About 7,000 frequencies occur, low ones more often. A few points have no level or no frequency.
 */
const POINTS_OF_A_DAY = `
  insert into audio_data (time, rms_db, frequency_hz, is_silence)
  select time,
    case
      when random() < 0.001 then null
      when hashint8(floor(second / 10)::bigint) % 5000 = 0 then -10 + 9 * random()
      else greatest(-50, least(-10.5,
        -34 + 7 * sin(second * 2 * pi() / 86400) + 6 * (random() + random() + random() + random() - 2)))
    end,
    case when random() < 0.001 then null else 100 + floor(7900 * random() * random())::int end,
    random() < 0.05
  from (
    select time, extract(epoch from time)::float8 as second
    from generate_series(0, 86400 * $3::int - 1) as n,
      lateral (select $1::timestamptz + $2::int * interval '1 day' + n * (interval '1 second' / $3::int)) as at (time)
  ) as points`;

/** Runs the policies that refresh and compress, those of the points first. Then refreshes the rollups. */
export async function runPolicies(client: pg.Client, say: Say): Promise<void> {
  const { rows } = await client.query(
    `select job_id, proc_name, hypertable_name from timescaledb_information.jobs
     where hypertable_schema = current_schema() and proc_name in ('policy_compression', 'policy_refresh_continuous_aggregate')
     order by hypertable_name <> 'audio_data', proc_name desc, hypertable_name`,
  );
  for (const job of rows) {
    say(`${job.proc_name} of ${job.hypertable_name}`);
    await client.query(`call run_job(${job.job_id})`);
  }
  say('refreshing the rollups');
  await refreshRollups(runOnClient(client), 300_000);
  await client.query('analyze audio_data');
}
