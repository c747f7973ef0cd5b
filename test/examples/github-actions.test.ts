// The workflow of `examples/github-actions`: runs its step as a GitHub runner does.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createKey, readKeys } from '../../src/http/edge/api-keys.ts';
import { startSmallService } from '../client/embedded-service.ts';
import { freePort } from '../cluster.ts';
import { openForAll } from '../engines.ts';
import { needs } from '../needs.ts';
import { temporaryFolder } from '../process.ts';
import { firstThatRuns, run } from '../program.ts';
import { hasYaml, readYaml } from './run.ts';

const tools = firstThatRuns(['bash', '-c', 'curl --version && jq --version']);
const { key, line } = createKey('report');

describe('The workflow for GitHub Actions', needs('PyYAML, curl and jq', hasYaml && tools), () => {
  const options = { clock: Date.now, keys: readKeys(line) };
  const service = openForAll(() => startSmallService({ ...options, site: { calibrationOffsetDb: 90 } }));
  const uncalibrated = openForAll(() => startSmallService(options));
  beforeAll(async () => {
    // every day has the same points, in case midnight passes during the test
    await service.sql(`insert into audio_data
      select date_trunc('day', now(), 'UTC') + n * interval '10 min', -20 - abs(n % 5), 440, false
      from generate_series(-288, 287) n`);
  });

  const workflow = () => readYaml('github-actions/noise-report.yml');

  async function runStep(url: string, levels = 'absolute') {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'step.sh'), workflow().jobs.report.steps[0].run);
    const summary = join(folder, 'summary.md');
    // GitHub runs `shell: bash` this way
    const ran = await run(['bash', '--noprofile', '--norc', '-eo', 'pipefail', 'step.sh'], {
      cwd: folder,
      env: { AUDIO_METRICS_URL: url, API_KEY: key, LEVELS: levels, GITHUB_STEP_SUMMARY: summary },
    });
    return { ...ran, read: (name: string) => readFileSync(join(folder, name), 'utf8') };
  }

  it('runs each morning, without permissions, and uploads the file that its step writes', () => {
    const { true: on, permissions, defaults, jobs } = workflow(); // YAML 1.1 reads `on` as true
    expect([on.schedule, permissions, defaults.run.shell]).toEqual([[{ cron: '17 5 * * *' }], {}, 'bash']);
    const [fetching, upload] = jobs.report.steps;
    expect(Object.keys(fetching.env)).toEqual(['AUDIO_METRICS_URL', 'API_KEY', 'LEVELS']);
    expect(upload).toMatchObject({ with: { path: 'noise.csv' } });
  });

  it('writes the hourly figures of yesterday, and their summary', async () => {
    const { status, stderr, stdout, read } = await runStep(service.url);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const headers = { authorization: `Bearer ${key}` };
    const [from, to] = stdout.match(/\d{4}-\d\d-\d\dT00:00:00\.000000Z/g) ?? [];
    const { body } = await service.get(`/stats/series?from=${from}&to=${to}&bucket=1h&levels=absolute`, {
      headers,
    });
    const rows = read('noise.csv')
      .trim()
      .split('\n')
      .map((row) => row.replaceAll('"', '').split(','));
    const columns = ['time', 'point_count', 'leq_db', 'max_db', 'min_db', 'silence_percent'];
    const valuesOf = (bucket: Record<string, unknown>) => columns.map((name) => String(bucket[name]));
    expect(rows).toEqual([columns, ...body.buckets.map(valuesOf)]);
    expect(rows).toHaveLength(25);
    expect(stdout).toMatch(/: 144 points, Leq 68\.\d dB, L10 70 dB, L90 66 dB\n$/);
    expect(read('summary.md')).toBe(stdout);
  });

  it('fails if the service does not answer', async () => {
    const { status, stderr } = await runStep(`http://127.0.0.1:${await freePort()}`);
    expect(status).not.toBe(0);
    expect(stderr).toContain('connect');
  });

  it('prints the reason for a refusal, and names the variable to set without a calibration', async () => {
    const refused = await runStep(`${service.url}/elsewhere/`);
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toContain('There is nothing at this path');
    const stored = await runStep(uncalibrated.url);
    expect(stored.status).not.toBe(0);
    expect(stored.stderr).toMatch(
      /levels must be `stored`: .*; calibrate, or set AUDIO_METRICS_LEVELS to stored/,
    );
    expect((await runStep(uncalibrated.url, 'stored')).status).toBe(0);
    const unset = await runStep('');
    expect(unset.status).not.toBe(0);
    expect(unset.stderr).toContain('Set this repository variable');
  });
});
