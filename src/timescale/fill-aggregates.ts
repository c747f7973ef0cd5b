// Fills a new audio_data_1min from the points that are older than it: its policy looks back only so far.
import type pg from 'pg';
import { type Log, POLICIES } from './policies.ts';

/** @throws what the server throws */
export async function fillMinutes(client: pg.Client, log: Log): Promise<void> {
  const { rows } = await client.query(
    `select first::text, last::text from (
       select time_bucket('1 minute', min(time)) as first, time_bucket('1 minute', now() - $1::interval) as last
       from audio_data
     ) points where first < last and not exists (select from show_chunks('audio_data_1min'))`,
    [POLICIES.refreshEnd],
  );
  if (rows.length === 0) return;
  log.info({}, `Filling audio_data_1min from the points that are there, ${rows[0].first} to ${rows[0].last}`);
  // with bounds: a refresh without them would move the watermark to a point dated ahead
  await client.query(
    `call refresh_continuous_aggregate('audio_data_1min', $1::timestamptz, $2::timestamptz)`,
    [rows[0].first, rows[0].last],
  );
}
