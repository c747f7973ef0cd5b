// The commands of docs/how-to/import-meters.md, each run on a small file of that logger.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { imported, refusedImport } from '../recorder/run.ts';

const FIXTURES = join(import.meta.dirname, '../fixtures/loggers');
const guide = readFileSync(join(import.meta.dirname, '../../docs/how-to/import-meters.md'), 'utf8');

/** The words of a command, as a shell splits them. */
const wordsOf = (command: string) =>
  Array.from(
    command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([, one, two, three]) => one ?? two ?? three ?? '',
  );

const commands = new Map(
  Array.from(
    guide.matchAll(/^npm run import -- (\S+\.\w+) (?!.*--dry-run)(.*)$/gm),
    ([, name = '', rest = '']) => [name, wordsOf(rest)],
  ),
);

const evening = (second: number) => `2026-06-21T20:15:${String(second).padStart(2, '0')}.000000Z`;
const twoSeconds = [`${evening(0)},-47.7,,false`, `${evening(1)},-48.3,,false`];
const STORED: Record<string, readonly string[]> = {
  'nti-xl2.txt': twoSeconds,
  'larson-davis.csv': [
    `${evening(0)},,,false`,
    `${evening(0)},-47.7,,false`,
    '2026-06-21T20:15:00.500000Z,-48.3,,false',
  ],
  'svantek.csv': twoSeconds,
  'cirrus.csv': twoSeconds.map((row) => row.replace('T20', 'T21')),
  'bk-2250.txt': twoSeconds,
  'home-assistant.csv': [
    ...Array.from({ length: 60 }, (_, n) => `${evening(n).replace('.000', '.123')},-47.7,,false`),
    '2026-06-21T20:16:00.000000Z,,,false',
    '2026-06-21T20:17:00.456000Z,-48.3,,false',
  ],
  'sensor-community.csv': [`${evening(0)},-47.7,,false`, '2026-06-21T20:17:31.000000Z,-48.3,,false'],
  'raspberry-pi.csv': [
    '2026-06-21T20:15:00.250000Z,-47.7,440,false',
    '2026-06-21T20:15:01.250000Z,-48.3,,false',
  ],
  'esp32-mqtt.csv': ['2026-06-21T20:15:00.250000Z,-47.7,,false', '2026-06-21T20:15:01.250000Z,-48.3,,true'],
  'excel.csv': [`${evening(0)},-47.7,,false`, '2026-06-21T20:16:00.000000Z,-48.3,,false'],
};

it.each(Object.entries(STORED))('%s is stored correctly by its command', async (name, rows) => {
  const run = await imported([join(FIXTURES, name), ...(commands.get(name) ?? [])]);
  expect(run.db.rows).toEqual(rows);
});

it('a table of recordings is refused, because it has no levels to import', async () => {
  const args = [join(FIXTURES, 'audiomoth.csv'), '--columns', 'time=start,level=level'];
  expect(await refusedImport(args)).toMatch(
    /line 1: the header has no column "level". Choose one of "filename", "start", "duration", /,
  );
});

it('every logger has its file and its command', () => {
  expect([...commands.keys()].sort()).toEqual(Object.keys(STORED).sort());
  expect(readdirSync(FIXTURES).sort()).toEqual([...commands.keys(), 'audiomoth.csv'].sort());
});
