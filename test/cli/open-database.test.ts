import { expect, it } from 'vitest';
import { warnOfMemoryLimit } from '../../src/cli/open-database.ts';
import { dataFolder, temporaryFolder } from '../process.ts';

const MB = 1024 ** 2;
const warningsAt = (limit: number, dataDir = temporaryFolder()) => {
  const warnings: unknown[][] = [];
  warnOfMemoryLimit({ warn: (...warning: unknown[]) => void warnings.push(warning) }, dataDir, limit);
  return warnings;
};

it('prints a memory limit that is too low for the embedded database, and the memory it needs', () => {
  expect(warningsAt(512 * MB)).toEqual([
    [
      { limitMb: 512, neededMb: 640 },
      'The memory limit of 512 MB is below the 640 MB that the embedded database needs, so the system may kill the process. Raise the limit, or use a server (DATABASE_URL)',
    ],
  ]);
});

it('accepts a high enough limit, or none', () => {
  expect([640 * MB, 2 ** 63, 2 ** 64, 0].flatMap((limit) => warningsAt(limit))).toEqual([]);
  expect(warningsAt(450 * MB, dataFolder())).toEqual([]); // the database exists already
  expect(warningsAt(449 * MB, dataFolder())).toHaveLength(1);
});
