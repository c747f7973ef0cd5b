// The statistics bench, on points that it generates and changes, and on existing points.
import { describe, expect, inject, it } from 'vitest';
import { provideDataSet } from '../../bench/data-set.ts';
import { withClient } from '../cluster.ts';
import { createDatabase } from '../engines.ts';
import { needs } from '../needs.ts';
import { runStats } from './stats-figures.ts';

const server = inject('timescale');

describe('npm run bench -- stats', needs('TimescaleDB', server), () => {
  it('generates points, finds equal answers and prints every figure; then reuses the points', async () => {
    if (!server) throw new Error('skipped');
    const { url, drop } = await createDatabase(server);
    expect(await runStats(url, true)).toContain('1 of 1 days: 86,400 points');
    const lines: string[] = [];
    const options = { days: 1, rate: 1 };
    await withClient(url, (client) => provideDataSet(client, options, (line) => lines.push(line)));
    expect(lines).not.toEqual([]);
    expect(lines.filter((line) => line.includes('days:'))).toEqual([]);
    await drop();
  });

  it('finds equal answers and prints every figure on existing points', async () => {
    if (!server) throw new Error('skipped');
    const { url, drop } = await createDatabase(server, server.template);
    await withClient(url, (client) =>
      client.query(`insert into audio_data (time, rms_db, frequency_hz)
        select now() - n * interval '1 s', -20 - n % 25, 440 from generate_series(1, 12000) n`),
    );
    await runStats(url, false);
    await drop();
  });
});
