// Creates the measured stations and their points.
import { migrate } from '../src/cli/migrate.ts';
import { ROLLUP_TABLES } from '../src/database/rollups.ts';
import { runOnClient } from '../src/database/session.ts';
import { refreshRollups } from '../src/rollups/refresh-rollups.ts';
import { withClient } from '../test/cluster.ts';
import { makePoints, runPolicies } from './data-set.ts';
import type { Say } from './figure.ts';

const COLUMNS = 'time, rms_db, frequency_hz, is_silence';
const dayBefore = (days: number) => `date_trunc('day', now(), 'UTC') - ${days - 1} * interval '1 day'`;

/** Copies the default station's last days with their rollups, because computing rollups again takes minutes. */
const copyOf = (days: number) => `
  insert into audio_data (${COLUMNS}) select ${COLUMNS} from public.audio_data where time >= ${dayBefore(days)};
  ${Object.values(ROLLUP_TABLES)
    .map((table) => `insert into ${table} select * from public.${table} where bucket >= ${dayBefore(days)};`)
    .join('')}
  delete from audio_data_notes;
  delete from audio_data_chunks;
  insert into audio_data_chunks select * from audio_data_changed_chunks()`;

export async function fillStations(
  url: string,
  names: readonly string[],
  { full, days, isTimescale }: { full: number; days: number; isTimescale: boolean },
  say: Say,
): Promise<void> {
  await migrate({ url, rawRetention: 'off' });
  say(`making ${names.length} stations`);
  for (const name of names) await migrate({ url, rawRetention: 'off', station: { name, made: {} } });
  await withClient(url, async (client) => {
    const run = runOnClient(client);
    await makePoints(run, { days, rate: 1 }, say);
    await client.query('analyze audio_data');
    say('storing the rollups');
    if (isTimescale) await runPolicies(client, say);
    else await refreshRollups(run, 100_000);
    for (const [index, name] of names.entries()) {
      say(`filling ${name}`);
      await client.query(`set search_path = ${name}, public`);
      await client.query(copyOf(index < full ? days + 1 : 1));
      if (isTimescale && index < full) await runPolicies(client, say);
    }
    await client.query('vacuum analyze');
  });
}

/** Stores 60 more points in each station. */
export async function newMinutes(url: string, names: readonly string[]): Promise<void> {
  const another = names.map(
    (name) => `
      insert into ${name}.audio_data select time + interval '1 minute', rms_db, frequency_hz, is_silence
      from ${name}.audio_data where time > (select max(time) from ${name}.audio_data) - interval '1 minute'`,
  );
  await withClient(url, (client) => client.query(another.join(';')));
}
