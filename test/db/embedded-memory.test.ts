import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { needs } from '../needs.ts';
import { dataFolder, temporaryFolder } from '../process.ts';

const hasStatus = needs('/proc/self/status', existsSync('/proc/self/status'));

/** Opens the embedded database as the service does, asks often enough for V8 to optimise. @returns the peak in MB */
async function peakOn(dataDir: string): Promise<number> {
  const driver = new URL('../../src/db/pglite.ts', import.meta.url);
  const script = `const { openPglite } = await import('${driver}');
    const db = await openPglite({ dataDir: process.argv[1] });
    for (let n = 0; n < 300; n++) await db.run(\`select \${n} + a from (values (1), (2)) t (a) where a > 1 order by a\`);
    await db.close();
    // not resourceUsage(): that begins with the memory of the process that started this one
    const [, kilobytes] = /VmHWM:\\s+(\\d+)/.exec((await import('node:fs')).readFileSync('/proc/self/status', 'utf8'));
    console.log(kilobytes / 1024);`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    script,
    dataDir,
  ]);
  return Number(stdout);
}

it(
  'makes a database in less than 680 MB: the making is not optimised, and its memory given back',
  hasStatus,
  async () => {
    expect(await peakOn(temporaryFolder())).toBeLessThan(680);
  },
);

it(
  'opens one in less than 480 MB: the parser is never optimised, which alone takes 600 MB',
  hasStatus,
  async () => {
    expect(await peakOn(dataFolder())).toBeLessThan(480);
  },
);
