import { describe, expect, inject, it } from 'vitest';
import { provideDataSet } from '../../bench/data-set.ts';
import { stats } from '../../bench/stats.ts';
import { withClient } from '../cluster.ts';
import { createDatabase } from '../engines.ts';
import { needs } from '../needs.ts';

const server = inject('timescale');
const small = { days: '1', rate: '1', chunks: '5', runs: '1' };

describe('npm run bench -- stats', needs('PostgreSQL', server), () => {
  it('makes its points, finds the answers equal and gives every figure; then uses what is there', async () => {
    if (!server) throw new Error('skipped');
    const { url, drop } = await createDatabase(server);
    const lines: string[] = [];
    const figures = await stats.run({ ...small, url }, (line) => lines.push(line));
    expect(lines).toContain('1 of 1 days: 86,400 points');
    const works = figures.map(({ work }) => work);
    const isAgainstPeers = (work: string) => work.endsWith(', over HTTP');
    expect(works.filter(isAgainstPeers)).toEqual(
      expect.arrayContaining(
        ['latest 100', 'range of 10,000', 'a day as CSV'].map((work) => `${work}, over HTTP`),
      ),
    );
    expect(works.filter((work) => !isAgainstPeers(work))).toEqual([
      ...['30d', '7d', '24h', '6h', '1h', '1m', '10s'].map((period) => `summary ${period}`),
      'series 30d of 2h',
      'series 7d of 30m',
      'series 24h of 5m',
      'loud rare, 30d',
      'loud none, 30d',
      'loud none, no interval',
      'loud common, no interval',
      'latest 100',
      'size of the rollups',
      'summary 30d over HTTP: on top of psql',
      'summary 30d, 40 hours changed',
      'latest 100, 5 chunks',
      'latest 100, 5 chunks, a year old',
    ]);
    for (const { work, value } of figures)
      expect(value, work).toBeGreaterThan(work.endsWith('on top of psql') ? -Infinity : 0); // a difference may be any

    lines.length = 0;
    const options = { days: 1, rate: 1 };
    await withClient(url, (client) => provideDataSet(client, options, (line) => lines.push(line)));
    expect(lines).not.toEqual([]);
    expect(lines.filter((line) => line.includes('days:'))).toEqual([]);
    await drop();
  });

  it('refuses a database without TimescaleDB', async () => {
    const plain = inject('postgres');
    if (!plain) return;
    const { url, drop } = await createDatabase(plain);
    await expect(stats.run({ ...small, url }, () => {})).rejects.toThrow(
      'The server does not load TimescaleDB',
    );
    await drop();
  });
});
