// The bench of statistics on points that are there. `stats.soak.ts` lets it make them.
import { describe, expect, inject, it } from 'vitest';
import { stats } from '../../bench/stats.ts';
import { withClient } from '../cluster.ts';
import { createDatabase } from '../engines.ts';
import { needs } from '../needs.ts';
import { runStats } from './stats-figures.ts';

const server = inject('timescale');
const plain = inject('postgres');

describe('npm run bench -- stats', () => {
  it('finds the answers equal and gives every figure', needs('TimescaleDB', server), async () => {
    if (!server) throw new Error('skipped');
    const { url, drop } = await createDatabase(server, server.template);
    await withClient(url, (client) =>
      client.query(`insert into audio_data (time, rms_db, frequency_hz)
        select now() - n * interval '1 s', -20 - n % 25, 440 from generate_series(1, 12000) n`),
    );
    await runStats(url, false);
    await drop();
  });

  it('refuses a database without TimescaleDB', needs('PostgreSQL', plain), async () => {
    if (!plain) throw new Error('skipped');
    const { url, drop } = await createDatabase(plain);
    await expect(stats.run({ url }, () => {})).rejects.toThrow('TimescaleDB');
    await drop();
  });
});
