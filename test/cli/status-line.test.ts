import { expect, it } from 'vitest';
import { createStatusLine } from '../../src/cli/status-line.ts';

function written(output: { isTTY?: boolean; columns?: number }): string {
  let text = '';
  const { say, status } = createStatusLine({ ...output, write: (piece) => (text += piece) });
  say('first');
  status('at 10 %');
  status('at 20 %');
  say('second');
  status(undefined);
  status('at 30 %');
  status(undefined);
  return text;
}

it('On a terminal, a status replaces the previous one, below the permanent lines', () => {
  const erase = '\r\x1b[K';
  expect(written({ isTTY: true, columns: 7 })).toBe(
    `first\nat 10 ${erase}at 20 ${erase}second\nat 30 ${erase}`,
  );
});

it('Without a terminal, each status is a separate line', () => {
  expect(written({})).toBe('first\nat 10 %\nat 20 %\nsecond\nat 30 %\n');
});
