// Points and spools for the tests of spools.
import { readdirSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { instantOf } from '../../../src/contract/instant.ts';
import type { Point } from '../../../src/contract/point.ts';
import { openSpool, type Spool } from '../../../src/recorder/storing/spool/spool.ts';
import { temporaryFolder } from '../../process.ts';

export const openTestSpool = (folder = join(temporaryFolder(), 'spool')): Promise<Spool> =>
  openSpool(folder, 'set DATA_DIR');

/** One point per second. @param from the first second, counted from 1970 */
export function points(from: number, count: number): Point[] {
  return Array.from({ length: count }, (_, i) => ({
    time: instantOf(1000 * (from + i)),
    rms_db: -20,
    frequency_hz: null,
    is_silence: false,
  }));
}

/** The same as CSV. */
export const rows = (from: number, count: number): string[] =>
  points(from, count).map(({ time }) => `${time},-20,,false\n`);

/** Makes the file system fail once: at the n-th call of a function, or right after it. */
export async function failOnce(name: 'open' | 'rename' | 'sync' | 'writeFile', nth: number, after: boolean) {
  const file = await fs.open(import.meta.filename);
  await file.close();
  const target = name === 'sync' || name === 'writeFile' ? Object.getPrototypeOf(file) : fs;
  const real = target[name];
  let calls = 0;
  vi.spyOn(target, name).mockImplementation(async function (this: unknown, ...args: unknown[]) {
    calls += 1;
    if (calls === nth && after) await real.apply(this, args);
    if (calls === nth) throw Object.assign(new Error('EMFILE or EIO'), { code: 'EIO' });
    return real.apply(this, args);
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
}

/** The names of a spool's files, except those that every spool has. */
export const filesOf = ({ folder }: Spool): string[] =>
  readdirSync(folder)
    .filter((name) => !['id', 'periods.json', 'recorder.lock'].includes(name))
    .sort();
