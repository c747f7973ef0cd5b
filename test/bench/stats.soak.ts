// The statistics bench on a small database: it fails if an answer differs from the same query by hand.
import { expect, inject, it } from 'vitest';
import { stats } from '../../bench/stats.ts';
import { createDatabase } from '../engines.ts';
import { needs } from '../needs.ts';

const server = inject('timescale');

it('npm run bench -- stats prints figures of every work', needs('TimescaleDB', server), async () => {
  if (!server) throw new Error('skipped');
  const { url, drop } = await createDatabase(server);
  const figures = await stats.run({ days: '1', rate: '1', chunks: '5', runs: '1', url }, () => {});
  const works = figures.map(({ work }) => work).join();
  for (const work of ['summary 30d', 'series', 'loud', 'latest', 'CSV', 'changed'])
    expect(works).toContain(work);
  await drop();
});
