// What the values of another logger's file are: units, weightings, missing values, and values that are no decibels.
import { expect, it } from 'vitest';
import { file, imported, messageOf, refusedImport } from '../recorder/run.ts';

const TIME_LEVEL = ['--columns', 'time,level'];
const AT_100 = [...TIME_LEVEL, '--reference-db', '100'];

/** Levels a second apart, as a file. */
const timed = (...levels: string[]) =>
  file(levels.map((level, n) => `2026-01-01T00:00:${String(n).padStart(2, '0')}Z\t${level}\n`).join(''));
const rowsOf = async (...args: string[]) => {
  const { db, lines } = await imported(args);
  return { levels: db.rows.map((row) => row.split(',')[1]), lines };
};

it('a level has the unit that is known: decibels of one weighting', async () => {
  const { levels } = await rowsOf(timed('52.3 dBA', '52.4 dB(A)', '52.5'), ...AT_100);
  expect(levels).toEqual(['-47.7', '-47.6', '-47.5']);
  const mixed = await refusedImport([timed('52.3 dBA', '68.9 dBC'), ...AT_100]);
  expect(mixed).toMatch(/line 2: .*"68.9 dBC" is weighted C, but those before it are weighted A/);
  const other = await refusedImport([timed('52.3 dBA'), ...AT_100, '--weighting', 'C']);
  expect(other).toMatch(/line 1: .*"52.3 dBA" is weighted A, but --weighting is C/);
  const skipped = await rowsOf(timed('68.9 dBC', '52.3 dBA'), ...AT_100, '--weighting', 'A', '--skip-bad');
  expect(skipped.levels).toEqual(['-47.7']);
  expect(await refusedImport([timed('52.3 Hz'), ...AT_100])).toContain('the level "52.3 Hz" is not a number');
});

it('a level may be quoted for a spreadsheet', async () => {
  const { levels } = await rowsOf(timed("'-45.2", '="-44.2"'), ...TIME_LEVEL);
  expect(levels).toEqual(['-45.2', '-44.2']);
});

it('--scale reads tenths of a decibel, and values that are no decibels are named', async () => {
  const { levels } = await rowsOf(timed('523', '617'), ...AT_100, '--scale', '0.1');
  expect(levels).toEqual(['-47.7', '-38.3']);
  for (const options of [TIME_LEVEL, AT_100, [...AT_100, '--dry-run']]) {
    const volts = await messageOf(imported([timed('1.50', '1.51', '1.52'), ...options]));
    const counts = await messageOf(imported([timed('512', '523', '530'), ...options]));
    if (options.includes('--dry-run')) continue; // its advice is printed
    expect(volts).toContain('are no decibels, but volts perhaps');
    expect(counts).toContain('tenths of a decibel (--scale 0.1)');
    expect(volts + counts).not.toMatch(/--reference-db \d/);
    expect(volts + counts).not.toContain('--clip');
  }
});

it('advice never names all values as missing', async () => {
  const all = await refusedImport([timed('loud', 'quiet'), ...TIME_LEVEL]);
  expect(all).toContain('"loud" is not a number: choose another column');
  const one = await refusedImport([timed('-45', 'OL', 'null', 'OL'), ...TIME_LEVEL]);
  expect(one).toContain('give --none "OL" --none "null"');
  const { levels, lines } = await rowsOf(
    timed('-45', 'OL', 'null'),
    ...TIME_LEVEL,
    '--none',
    'OL',
    '--none',
    'null',
  );
  expect(levels).toEqual(['-45', '', '']);
  expect(lines).toContain('No level in 2 of 3 points.');
});
