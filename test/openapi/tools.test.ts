// Common tools accept the document: a linter reports nothing, and a generated client works.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTypes, { astToString } from 'openapi-typescript';
import { describe, expect, it } from 'vitest';
import { compileIn } from '../client/consumer-project.ts';
import { startSmallService } from '../client/embedded-service.ts';
import { openForAll } from '../engines.ts';
import { temporaryFolder } from '../process.ts';
import { run } from '../program.ts';

const MANUAL = readFileSync('docs/how-to/typescript.md', 'utf8');

/** Runs the program of a package, and returns its output whether it succeeded or not. */
async function runTool(path: string, ...args: string[]): Promise<string> {
  const env = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { status, stdout, stderr } = await run([process.execPath, join('node_modules', path), ...args], {
    env,
  });
  return status === 0 ? stdout : stdout + stderr;
}

/** Compiled strictly against the generated types: a wrong type fails, and so does an `any`. */
const CONSUMER = `
import createClient from 'openapi-fetch';
import type { components, paths } from './document.js';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
export const exact: [
  Equal<components['schemas']['Point']['rms_db'], number | null>,
  Equal<components['schemas']['PointRange']['next_cursor'], string | null>,
  Equal<string extends keyof paths ? true : false, false>,
] = [true, true, true];

export async function readAll(baseUrl: string) {
  const { GET } = createClient<paths>({ baseUrl });
  const interval = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };
  const latest = await GET('/audio/latest');
  const range = await GET('/audio/range', { params: { query: { ...interval, limit: 2 } } });
  const csv = await GET('/export/csv', { params: { query: interval }, parseAs: 'text' });
  const { GET: getJson } = createClient<paths, 'application/json' | 'application/problem+json'>({ baseUrl });
  const page = await getJson('/audio/range', { params: { query: interval } });
  const next: string | null | undefined = page.data?.next_cursor;
  // @ts-expect-error from and to are required
  const refused = await GET('/audio/range', { params: { query: { limit: 2 } } });
  const level: number | null | undefined = latest.data?.points[0]?.rms_db;
  const text: string | undefined = csv.data;
  return {
    latest: latest.data, range: range.data, csv: text, level, next, refused: refused.error?.errors?.map(({ parameter }) => parameter),
  };
}
`;

describe('the OpenAPI document in other tools', () => {
  const service = openForAll(() => startSmallService({ site: { calibrationOffsetDb: 90 } }));
  const document = () => fetch(`${service.url}/api/v1/openapi.json`).then((response) => response.text());

  it('passes the strictest rules of redocly', async () => {
    const lint = ['lint', '--extends=recommended-strict', '--format=json'];
    const file = join(temporaryFolder(), 'openapi.json');
    writeFileSync(file, await document());
    const report = JSON.parse(await runTool('@redocly/cli/bin/cli.js', ...lint, file));
    expect(report).toMatchObject({ totals: { errors: 0, warnings: 0, ignored: 0 }, problems: [] });
  });

  it('generates types that a strict client compiles with, and gets every answer', async () => {
    const folder = temporaryFolder();
    const types = astToString(await openapiTypes(await document()));
    writeFileSync(join(folder, 'document.d.ts'), types);
    for (const name of ['openapi-fetch', 'openapi-typescript-helpers'])
      cpSync(join('node_modules', name), join(folder, 'node_modules', name), { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'consumer.ts'), CONSUMER);
    const [, shown = ''] = /```ts\n(import createClient from 'openapi-fetch'.*?)```/s.exec(MANUAL) ?? [];
    writeFileSync(join(folder, 'shown.ts'), shown);
    expect(await compileIn(folder, ['consumer.ts', 'shown.ts'], { noEmit: false })).toBe('');

    const { readAll } = await import(/* @vite-ignore */ join(folder, 'consumer.js'));
    const day = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z';
    const body = async (path: string) => (await service.get(path)).body;
    expect(await readAll(`${service.url}/api/v1`)).toEqual({
      latest: await body('/audio/latest'),
      range: await body(`/audio/range?${day}&limit=2`),
      csv: await body(`/export/csv?${day}`),
      level: -1.5,
      next: null,
      refused: ['from', 'to'],
    });
    const { newestLevel } = await import(/* @vite-ignore */ join(folder, 'shown.js'));
    expect(await newestLevel(`${service.url}/api/v1`)).toBe(88.5);
    await expect(newestLevel(`${service.url}/api/v1`, 0)).rejects.toThrow(
      /^BAD_REQUEST: must be a whole number/,
    );
  });
});
