// The memory of the embedded database, in separate processes, so that other tests do not affect the peak.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { needs } from '../needs.ts';
import { ownFolder } from '../program.ts';

const hasStatus = needs('/proc/self/status', existsSync('/proc/self/status'));
const { path, remove } = ownFolder();
afterAll(remove);
const dataDir = join(path, 'deep', 'down');
const beginning = join(dataDir, 'initialising');

/** Opens the embedded database as the service does, and queries it often enough for V8 to optimise. */
async function opened(): Promise<{ isBeginning: boolean; points: number; peakMb: number }> {
  const driver = new URL('../../src/database/pglite.ts', import.meta.url);
  const script = `const { existsSync, readFileSync } = await import('node:fs');
    const { openPglite } = await import('${driver}');
    const [, dataDir, beginning] = process.argv;
    const opening = openPglite({ dataDir });
    const isBeginning = existsSync(beginning) && readFileSync(beginning, 'utf8') === '';
    const db = await opening;
    const [{ points }] = await db.run('select count(*)::int as points from audio_data');
    await db.run("insert into audio_data values (now(), -1, 440, false)");
    for (let n = 0; n < 300; n++) await db.run(\`select \${n} + a from (values (1), (2)) t (a) where a > 1 order by a\`);
    await db.close();
    // not resourceUsage(): its peak includes the memory of the parent process
    const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
    const [, kilobytes] = /VmHWM:\\s+(\\d+)/.exec(status) ?? [];
    console.log(JSON.stringify({ isBeginning, points, peakMb: kilobytes / 1024 }));`;
  const args = ['--input-type=module', '-e', script, dataDir, beginning];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
}

let made: Awaited<ReturnType<typeof opened>>;
beforeAll(async () => {
  // the leftovers of a first start that was killed half way; the next start begins again
  mkdirSync(join(dataDir, 'pg', 'base'), { recursive: true });
  writeFileSync(join(dataDir, 'pg', 'PG_VERSION'), '18\n');
  writeFileSync(beginning, 'old');
  made = await opened();
});

it('creates a database, even after a killed first start, and marks it incomplete until done', () => {
  expect(made).toMatchObject({ isBeginning: true, points: 0 });
  expect(existsSync(beginning)).toBe(false);
});

it(
  'creates a database in less than 680 MB: creation runs unoptimised, and its memory is freed',
  hasStatus,
  () => {
    expect(made.peakMb).toBeLessThan(680);
  },
);

it(
  'opens a database in less than 480 MB: optimising the parser, which never happens, would take 600 MB',
  hasStatus,
  async () => {
    const { isBeginning, points, peakMb } = await opened();
    expect({ isBeginning, points }).toEqual({ isBeginning: false, points: 1 });
    expect(peakMb).toBeLessThan(480);
  },
);
