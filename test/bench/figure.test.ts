import { expect, it } from 'vitest';
import { formatTable } from '../../bench/figure.ts';

it('prints figures as a table, and marks the bars that they miss', () => {
  expect(
    formatTable([
      {
        work: 'latest',
        value: 0.904,
        unit: 'times',
        bar: { atLeast: 0.9 },
        aim: 1.2,
        note: '90 against 100',
      },
      { work: 'summary 30d', value: 1234.5, unit: 'ms', bar: { atMost: 40 } },
      { work: 'answers to one query', value: 12, unit: '' },
    ]),
  ).toBe(
    [
      '                      figure       bar           aim  reached',
      'latest                0.904 times  at least 0.9  1.2  yes      90 against 100',
      'summary 30d           1,235 ms     at most 40         NO',
      'answers to one query  12',
      '',
    ].join('\n'),
  );
});
