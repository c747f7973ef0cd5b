import { expect, it } from 'vitest';
import { warnOfMemoryLimit } from '../../src/cli/memory-limit.ts';

const MB = 1024 ** 2;
const warningsAt = (limit: number) => {
  const warnings: unknown[][] = [];
  warnOfMemoryLimit({ warn: (...warning: unknown[]) => void warnings.push(warning) }, limit);
  return warnings;
};

it('names a limit of memory that is too low for the embedded database, and what is needed', () => {
  expect(warningsAt(512 * MB)).toEqual([
    [
      { limitMb: 512, neededMb: 640 },
      'The memory is limited to 512 MB, and the embedded database needs 640 MB: the system may end the process without a word. Raise the limit, or use a server (DATABASE_URL)',
    ],
  ]);
});

it('says nothing of a limit that is high enough, or of none', () => {
  expect([640 * MB, 2 ** 63, 2 ** 64, 0].flatMap(warningsAt)).toEqual([]);
});
