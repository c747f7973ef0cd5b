// Runs the scripts in `examples`, as their README says, against a service with keys.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { createKey, readKeys } from '../../src/http/edge/api-keys.ts';
import { startSmallService } from '../client/embedded-service.ts';
import { freePort } from '../cluster.ts';
import { openForAll } from '../engines.ts';
import { needs } from '../needs.ts';
import { temporaryFolder } from '../process.ts';
import { firstThatRuns, run } from '../program.ts';
import { NOW } from '../service.ts';
import { EXAMPLES, storeHour } from './run.ts';

const { key, line } = createKey('example');
const headers = { authorization: `Bearer ${key}` };
const python = firstThatRuns(['python3', '--version']);
const pandas = firstThatRuns(['python3', '-c', 'import pandas'], ['/usr/bin/python3', '-c', 'import pandas']);
const R = firstThatRuns(['Rscript', '--version']);

const keys = readKeys(line);
const service = openForAll(() => startSmallService({ keys, site: { calibrationOffsetDb: 90 } }));
const uncalibrated = openForAll(() => startSmallService({ keys }));
beforeAll(async () => {
  for (const { sql } of [service, uncalibrated]) await sql(storeHour(NOW));
});

const get = async (path: string) => (await service.get(`${path}&levels=absolute`, { headers })).body;
const script = (path: string) => fileURLToPath(new URL(path, EXAMPLES));

const scripts = [
  { lacking: 'Node.js', program: process.execPath, path: 'node/fetch.js' },
  { lacking: 'Python', program: python, path: 'python/report.py' },
  { lacking: 'pandas', program: pandas, path: 'python/frames.py' },
  { lacking: 'R', program: R, path: 'r/levels.R' },
];

describe.each(scripts)('examples/$path', ({ lacking, program = '', path }) => {
  const runScript = (address: string, env: Record<string, string> = {}) =>
    run([program, script(path), address], { cwd: temporaryFolder(), env });

  it('reports a missing service and a refusal', needs(lacking, program), async () => {
    const away = `http://127.0.0.1:${await freePort()}`;
    const unreachable = await runScript(away, { API_KEY: key });
    expect(unreachable).toMatchObject({ status: 1, stdout: '' });
    expect(unreachable.stderr).toContain(away);
    expect(unreachable.stderr.trim().split('\n').length).toBeLessThan(4); // no stack trace
    const refused = await runScript(service.url);
    expect(refused).toMatchObject({ status: 1, stdout: '' });
    expect(refused.stderr).toMatch(/401|key/);
  });

  it(
    'says what to do without a calibration, and accepts stored levels',
    needs(lacking, program),
    async () => {
      const refused = await runScript(uncalibrated.url, { API_KEY: key });
      expect(refused).toMatchObject({ status: 1, stdout: '' });
      expect(refused.stderr).toMatch(/calibrate, or set LEVELS=stored\n$/i);
      if (path !== 'r/levels.R')
        expect(refused.stderr).toContain('levels must be `stored`: these levels are not calibrated'); // R reads no body
      const { status, stdout } = await runScript(uncalibrated.url, { API_KEY: key, LEVELS: 'stored' });
      expect(status).toBe(0);
      expect(stdout).toMatch(/^3600 points/);
    },
  );

  it('reads the address from the environment too', needs(lacking, program), async () => {
    const env = { AUDIO_METRICS_URL: `${service.url}/`, API_KEY: key };
    const { status, stderr } = await run([program, script(path)], { cwd: temporaryFolder(), env });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

it('prints the summary in Node', async () => {
  const { stdout } = await printed(process.execPath, 'node/fetch.js');
  const { from, to, leq_db, l10_db, l90_db } = await get('/stats/summary?period=1h');
  const [leq, l10, l90] = [leq_db, l10_db, l90_db].map((level) => level.toFixed(1));
  expect(stdout).toBe(`3600 points from ${from} to ${to}\nLeq ${leq}, L10 ${l10}, L90 ${l90} in dB\n`);
});

it(
  'prints the summary in Python, and counts the loud points of all pages',
  needs('Python', python),
  async () => {
    const { stdout } = await printed(python ?? '', 'python/report.py');
    const { l10_db, max_db } = await get('/stats/summary?period=1h');
    const { points } = await get('/events/loud?from=now-1h&threshold=80');
    expect(points).toHaveLength(180);
    expect(stdout).toMatch(new RegExp(`^3600 points .*\nlevels in dB\nleq_db .*\nl10_db +${l10_db}\n`));
    expect(stdout).toMatch(new RegExp(`\nmax_db +${max_db}\n180 points above 80\n$`));
  },
);

it('fills pandas data frames with each point and each bucket', needs('pandas', pandas), async () => {
  const { stdout } = await printed(pandas ?? '', 'python/frames.py');
  const { buckets } = await get('/stats/series?from=now-1h&to=now&bucket=10m');
  expect(stdout).toMatch(/^3600 points\n/);
  for (const { time, point_count, leq_db } of buckets) {
    if (leq_db === null) continue;
    const row = stdout.split('\n').find((text) => text.startsWith(time.slice(0, 19).replace('T', ' ')));
    const [, , count, leq] = row?.split(/ +/) ?? [];
    expect([Number(count), Number(leq)]).toEqual([point_count, expect.closeTo(leq_db, 5)]);
  }
});

it('computes the Leq of the summary in R, and draws a chart', needs('R', R), async () => {
  const { stdout, folder } = await printed(R ?? '', 'r/levels.R');
  const { leq_db } = await get('/stats/summary?period=1h');
  expect(stdout).toMatch(/^3600 points\n/);
  expect(Number(/^Leq (\S+) dB$/m.exec(stdout)?.[1])).toBeCloseTo(leq_db, 4);
  const png = readFileSync(join(folder, 'levels.png'));
  expect(png.subarray(1, 4).toString()).toBe('PNG');
});

async function printed(program: string, path: string): Promise<{ stdout: string; folder: string }> {
  const folder = temporaryFolder();
  const { status, stdout, stderr } = await run([program, script(path), service.url], {
    cwd: folder,
    env: { API_KEY: key },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return { stdout, folder };
}
