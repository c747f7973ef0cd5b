// Fills a new aggregate from the points that are older than it: its policy looks back only so far.
import type pg from 'pg';
import { NOTED_BEFORE, ROLLUPS, rollupName } from '../db/rollups.ts';
import { type Log, POLICIES } from './policies.ts';

/** Fills the aggregates that are empty, and lets TimescaleDB note every change of a point from now on. */
export async function fillNewAggregates(client: pg.Client, log: Log): Promise<void> {
  // the window is empty, so this stores nothing; but TimescaleDB then notes changes up to its end (rollups.ts)
  await client.query(
    `call refresh_continuous_aggregate($1::regclass, $2::timestamptz - interval '1 day', $2::timestamptz)`,
    [rollupName('total', '1d'), NOTED_BEFORE],
  );
  await fill(client, log, { name: 'audio_data_1min', width: '1 minute', end: POLICIES.refreshEnd });
  for (const { name, seconds, isRecent } of ROLLUPS) {
    const since = isRecent ? POLICIES.recent.refreshed : null;
    await fill(client, log, { name, width: `${seconds} seconds`, end: POLICIES.rollupRefresh.end, since });
  }
}

/** @param aggregate fills it with the points from `since` ago, or else from the first one, to `end` ago */
async function fill(
  client: pg.Client,
  log: Log,
  aggregate: { name: string; width: string; end: string; since?: string | null },
) {
  const { name, width, end, since = null } = aggregate;
  const { rows } = await client.query(
    `select first::text, last::text from (
       select time_bucket($2::interval, min(time)) as first, time_bucket($2::interval, now() - $3::interval) as last
       from audio_data where time >= coalesce(now() - $4::interval, '-infinity')
     ) points where first < last and not exists (select from show_chunks($1::regclass))`,
    [name, width, end, since],
  );
  if (rows.length === 0) return;
  log.info({}, `Filling ${name} from the points that are there, ${rows[0].first} to ${rows[0].last}`);
  // with bounds: a refresh without them would move the watermark to a point dated ahead
  await client.query('call refresh_continuous_aggregate($1::regclass, $2::timestamptz, $3::timestamptz)', [
    name,
    rows[0].first,
    rows[0].last,
  ]);
}
