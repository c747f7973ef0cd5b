// Recorders and the service on one data folder.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openPglite } from '../../src/database/pglite.ts';
import { call, called, serve } from '../in-process.ts';
import { dataFolder, temporaryFolder } from '../process.ts';
import { file } from './run.ts';
import { encode, sine, wav } from './sound.ts';
import { openTestSpool, rows } from './spool/segments.ts';

const RECORD = ['record', '-', '--rate', '8000', '--format', 's16le'] as const;
const TONE = encode('s16', [sine(1000, 0.5)], 8000, 800);

const segmentsOf = (dataDir: string) =>
  readdirSync(join(dataDir, 'spool')).filter((name) => name.endsWith('.csv'));

const storedCount = (output: string) =>
  Number(/Stored ([\d,]+) point/.exec(output)?.[1]?.replaceAll(',', ''));

it('A recorder alone stores its points when its sound ends, and beside the service as they arrive', async () => {
  const DATA_DIR = dataFolder();
  const alone = call(RECORD, { DATA_DIR });
  alone.write(Buffer.concat([TONE, TONE, TONE]));
  expect(await alone.ended).toBeUndefined();
  expect(storedCount(alone.output())).toBe(3);

  const { latest } = await serve({ DATA_DIR });
  const count = async () => (await latest()).length;
  expect(await count()).toBe(3);
  const recorder = call(RECORD, { DATA_DIR });
  const sound = setInterval(() => recorder.feed(TONE), 100);
  onTestFinished(() => clearInterval(sound));
  await expect.poll(count).toBeGreaterThan(3);
  await expect.poll(count).toBeGreaterThan(await count());
  expect(await recorder.stop()).toBeUndefined();
  const times = (await latest()).map(({ time }) => time);
  expect(storedCount(recorder.output())).toBe(times.length - 3);
  expect(new Set(times).size).toBe(times.length);
  expect(segmentsOf(DATA_DIR)).toEqual([]);
});

it('While the service runs, a file is stored and points are removed completely or not at all', async () => {
  const DATA_DIR = dataFolder();
  const { latest, info } = await serve({ DATA_DIR });
  const ok = (...args: Parameters<typeof call>[0]) => called(args, { DATA_DIR });
  const row = (_: unknown, n: number) => `2026-01-01T00:00:00.${String(n).padStart(6, '0')}Z,-20,,false\n`;
  const header = 'time,rms_db,frequency_hz,is_silence\n';
  expect(await ok('import', file(header + Array.from({ length: 5000 }, row).join('')))).toBe(
    'Stored 5,000 points, 2026-01-01T00:00:00.000000Z to 2026-01-01T00:00:00.004999Z.\n',
  );
  const interval = ['--from', '2026-01-01T00:00:00.001Z', '--to', '2026-01-02T00:00:00Z'];
  expect(await ok('delete', ...interval, '--yes')).toContain(
    'Deleted 4,000 points, 2026-01-01T00:00:00.001000Z to ',
  );
  expect(await latest()).toHaveLength(1000);
  const sound = file(wav(encode('s16', [sine(440, 0.5)], 8000, 8000)), 'sound.wav');
  expect(storedCount(await ok('record', sound, '--start', '2026-02-01T00:00:00Z'))).toBe(10);
  expect(await latest()).toHaveLength(1010);
  await expect.poll(async () => (await info()).periods[0]?.since).toBe('2026-02-01T00:00:00.000000Z');

  const both = [0, 1].map(() => call(['record', sound, '--start', '2026-03-01T00:00:00Z'], { DATA_DIR }));
  const errors = (await Promise.all(both.map(({ ended }) => ended))).filter((error) => error !== undefined);
  expect(errors).toMatchObject([{ message: expect.stringContaining('its time already has 10 points, ') }]);
  expect(await latest()).toHaveLength(1020);
  expect(segmentsOf(DATA_DIR)).toEqual([]);
});

it("The demo's folder accepts no points from a recorder, and the demo accepts no folder with measured points", async () => {
  const DATA_DIR = temporaryFolder();
  writeFileSync(join(DATA_DIR, 'demo'), '');
  const recorder = call(RECORD, { DATA_DIR });
  recorder.write(TONE);
  const message = expect.stringContaining(`The data folder ${DATA_DIR} holds the demo's made-up points`);
  expect(await recorder.ended).toMatchObject({ message });

  const other = temporaryFolder();
  await (await openTestSpool(join(other, 'spool'))).write(rows(0, 1)); // of a recorder, before there is a database
  await expect(openPglite({ dataDir: other, points: 'made up' })).rejects.toThrow(
    'a database that the demo did not make',
  );
});
