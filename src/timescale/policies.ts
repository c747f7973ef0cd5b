// Sets the policies: how long points are kept, and when TimescaleDB works on them, table by table.
import type pg from 'pg';
import type { Run } from '../db/database.ts';
import { configOf, keepSchedule, setColumnstore, setRefresh, setRetention } from './set-policy.ts';

/** PostgreSQL intervals, as text. A chunk of points holds a day (drizzle/0001). */
export const POLICIES = {
  /** A summary may ask for 30 days. The other days make up for chunks that are dropped late. */
  rawRetention: '35 days',
  rawRetentionAbove: '30 days',
  /**
   * How far the refresh stays behind the retention. A refresh deletes minutes without points from the aggregate,
   * also minutes whose points retention has dropped.
   */
  refreshMargin: '1 day',
  /** The newest minute is still being written. Points dated ahead must not move the watermark. */
  refreshEnd: '1 minute',
  refreshEvery: '1 minute',
  /**
   * "At once" is negative and as long as a chunk, so each run of the policy converts the chunk of today too. Only
   * the points since the last run stay in the row store. Late points cost little more.
   */
  rawColumnstore: { atOnce: '-1 day', every: '15 minutes' },
  aggregateRetention: '5 years',
} as const;

/** The operator's settings: an interval, `off` for a retention, `at once`, or undefined when not set. */
export interface PolicySettings {
  /** How long after its end a day of points leaves the row store. */
  columnstoreAfter?: string | undefined;
  rawRetention?: string | undefined;
  aggregateRetention?: string | undefined;
}

export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** @throws Error that names every variable that is not an interval or is too short */
export async function checkSettings(client: pg.Client, settings: PolicySettings): Promise<void> {
  const run: Run = async (text, values) => (await client.query(text, [...values])).rows;
  const faults = [
    ...(await columnstoreFault(client, settings.columnstoreAfter ?? AT_ONCE)),
    ...(await retentionFault(run, 'RAW_RETENTION', settings.rawRetention)),
    ...(await retentionFault(run, 'AGGREGATE_RETENTION', settings.aggregateRetention)),
  ];
  if (faults.length > 0) throw new Error(faults.join('; '));
}

const AT_ONCE = 'at once';

async function columnstoreFault(client: pg.Client, value: string): Promise<string[]> {
  if (value === AT_ONCE) return [];
  try {
    await client.query('select now() - $1::interval', [value]);
    return [];
  } catch {
    return [`COLUMNSTORE_AFTER is '${value}', but must be an interval such as '2 days', or '${AT_ONCE}'`];
  }
}

/** @returns what is wrong with the setting of a retention, if anything */
export async function retentionFault(run: Run, name: string, value: string | undefined): Promise<string[]> {
  if (value === undefined || value === 'off') return [];
  const above = POLICIES.rawRetentionAbove;
  try {
    const [row] = await run<{ enough: boolean }>('select $1::interval > $2::interval as enough', [
      value,
      above,
    ]);
    if (row?.enough) return [];
    return [
      `${name} is '${value}', but must be more than ${above}, the longest period of a summary, or 'off'`,
    ];
  } catch {
    return [`${name} is '${value}', but must be an interval such as '${POLICIES.rawRetention}', or 'off'`];
  }
}

/**
 * Sets the policies of a TimescaleDB database. Changes neither what is right already nor how often a policy runs. How
 * long points are kept is a setting of ours (raw-retention.ts).
 */
export async function applyPolicies(client: pg.Client, settings: PolicySettings, log: Log): Promise<void> {
  const { rows } = await client.query(
    `select coalesce(raw_retention, 'off') as raw from audio_data_refreshes`,
  );
  const raw: string = rows[0].raw;
  const { atOnce, every: converting } = POLICIES.rawColumnstore;
  const after = settings.columnstoreAfter ?? ((await keepsColumnstore(client)) ? undefined : AT_ONCE);
  if (after !== undefined)
    await setColumnstore(client, 'audio_data', after === AT_ONCE ? atOnce : after, converting);

  const kept = (await configOf(client, 'audio_data_1min', 'policy_retention'))?.drop_after;
  const aggregate = settings.aggregateRetention ?? kept ?? POLICIES.aggregateRetention;
  await setRetention(client, 'audio_data_1min', aggregate);
  const start = await refreshStart(client, raw);
  await setRefresh(client, 'audio_data_1min', {
    start: await minuteStart(client, start),
    end: POLICIES.refreshEnd,
    every: POLICIES.refreshEvery,
  });
  // the refresh still rewrites younger minutes, which is cheap in the row store
  await setColumnstore(client, 'audio_data_1min', raw === 'off' ? POLICIES.rawRetention : raw);

  await keepSchedule(client, ['audio_data', 'audio_data_1min']);
  const lasting = (retention: string) => (retention === 'off' ? 'without end' : `for ${retention}`);
  log.info({}, `The policies are in place: points are kept ${lasting(raw)}, minutes ${lasting(aggregate)}`);
}

/** Whether the policy is an operator's own. Earlier versions set one of two days that ran twice a day. */
async function keepsColumnstore(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    `select (config ->> 'compress_after')::interval is distinct from '2 days'
       or schedule_interval <> interval '12 hours' as kept
     from timescaledb_information.jobs
     where hypertable_schema = current_schema() and hypertable_name = 'audio_data' and proc_name = 'policy_compression'`,
  );
  return rows[0]?.kept ?? false;
}

export function keepUntilTold(log: Log, again = 'run `npm run migrate` again'): void {
  const standard = POLICIES.rawRetention;
  log.warn(
    {},
    `audio_data holds points older than ${standard}, so none are dropped until you say how long to keep them: ` +
      `set RAW_RETENTION to an interval such as '${standard}', or to 'off', and ${again}`,
  );
}

/** How far back a refresh may reach: the retention less its margin, or without limit if nothing is dropped. */
async function refreshStart(client: pg.Client, raw: string): Promise<string | null> {
  const { rows } = await client.query('select ($1::interval - $2::interval)::text as start', [
    raw === 'off' ? null : raw,
    POLICIES.refreshMargin,
  ]);
  return rows[0].start;
}

/** The same for the minutes, and never beyond the oldest point while the aggregate holds minutes from before it. */
async function minuteStart(client: pg.Client, start: string | null): Promise<string | null> {
  const { rows } = await client.query(
    `with oldest as (
       select (select min(time) from audio_data) as point, (select min(bucket) from audio_data_1min) as minute
     )
     select least($1::interval,
       case when minute < point - interval '1 minute' or point is null and minute is not null
         then date_trunc('hour', coalesce(now() - point, interval '1 day')) end)::text as start
     from oldest`,
    [start],
  );
  return rows[0].start;
}
