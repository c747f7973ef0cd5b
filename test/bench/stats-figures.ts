// Runs `npm run bench -- stats` on a small database, and checks the figures that it prints.
import { expect } from 'vitest';
import { stats } from '../../bench/stats.ts';

/** @param isMade true if the bench generated the points, so that it may change them */
export async function runStats(url: string, isMade: boolean): Promise<string[]> {
  const lines: string[] = [];
  const small = { days: '1', rate: '1', chunks: '5', runs: '1' };
  const figures = await stats.run({ ...small, url }, (line) => lines.push(line));
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
    ...(isMade ? ['summary 30d, 40 hours changed'] : []),
    'latest 100, 5 chunks',
    'latest 100, 5 chunks, a year old',
  ]);
  for (const { work, value } of figures)
    expect(value, work).toBeGreaterThan(work.endsWith('on top of psql') ? -Infinity : 0); // a difference may have any value
  return lines;
}
