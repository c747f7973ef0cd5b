// Recorders beside the service on one data folder, each a process of its own.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LatestOutput } from '../../src/contract/audio.ts';
import { openPglite } from '../../src/db/pglite.ts';
import { statement } from '../engines.ts';
import { dataFolder, type Running, start, temporaryFolder } from '../process.ts';
import { file } from './run.ts';
import { encode, sine, wav } from './sound.ts';

const RECORD = ['record', '-', '--rate', '8000', '--format', 's16le'];
const TONE = encode('s16', [sine(1000, 0.5)], 8000, 800);

/** Gives a recorder a tenth of a second of sound every tenth of a second. */
function play(recorder: Running): { stop(): void } {
  const timer = setInterval(() => recorder.feed(TONE), 100);
  const stop = () => clearInterval(timer);
  onTestFinished(stop);
  return { stop };
}

async function latest(address: string): Promise<string[]> {
  const answer = await fetch(`${address}/api/v1/audio/latest?limit=10000`);
  return LatestOutput.parse(await answer.json()).points.map(({ time }) => time);
}

async function inFolder(dataDir: string): Promise<number> {
  const db = await openPglite({ dataDir });
  const [row] = await db.query<{ n: number }>(statement('select count(*) as n from audio_data'));
  await db.close();
  return row?.n ?? 0;
}

const segmentsOf = (dataDir: string) => {
  const spool = join(dataDir, 'spool');
  return existsSync(spool) ? readdirSync(spool).filter((name) => name.endsWith('.csv')) : [];
};

const storedCount = (output: string) =>
  Number(/Stored ([\d,]+) point/.exec(output)?.[1]?.replaceAll(',', ''));

it('A recorder beside the service hands its points over as they come', async () => {
  const DATA_DIR = dataFolder();
  const service = start(['serve'], { DATA_DIR });
  const address = await service.address();
  const recorder = start(RECORD, { DATA_DIR });
  const sound = play(recorder);
  await expect.poll(async () => (await latest(address)).length).toBeGreaterThan(20);
  sound.stop();
  recorder.kill('SIGTERM');
  expect(await recorder.ended).toBe(0);
  const times = await latest(address);
  expect(storedCount(recorder.output())).toBe(times.length);
  expect(new Set(times).size).toBe(times.length);
  expect(segmentsOf(DATA_DIR)).toEqual([]);
  expect(await service.stop()).toBe(0);
});

it('A recorder that begins before the service, and one that is killed, lose nothing', async () => {
  const DATA_DIR = dataFolder();
  const recorder = start(RECORD, { DATA_DIR });
  const sound = play(recorder);
  await expect.poll(() => segmentsOf(DATA_DIR).length).toBeGreaterThan(3);
  recorder.kill('SIGKILL');
  await recorder.ended;
  sound.stop();
  const left = segmentsOf(DATA_DIR).reduce((sum, name) => sum + Number(name.split('-')[2]), 0);
  const next = start(RECORD, { DATA_DIR });
  const more = play(next);
  await expect.poll(() => segmentsOf(DATA_DIR).length).toBeGreaterThan(6);
  const service = start(['serve'], { DATA_DIR });
  const address = await service.address();
  await expect.poll(() => segmentsOf(DATA_DIR).length).toBeLessThan(2);
  await expect.poll(async () => (await latest(address)).length).toBeGreaterThan(left + 20);
  service.kill('SIGKILL'); // while it stores
  await service.ended;
  more.stop();
  next.kill('SIGINT');
  expect(await next.ended).toBe(0); // the recorder stores the rest itself
  expect(await inFolder(DATA_DIR)).toBe(left + storedCount(next.output()));
  expect(segmentsOf(DATA_DIR)).toEqual([]);
});

it('A recorder alone stores what it measured when its sound ends', async () => {
  const DATA_DIR = dataFolder();
  const recorder = start(RECORD, { DATA_DIR });
  recorder.write(Buffer.concat([TONE, TONE, TONE]));
  expect(await recorder.ended).toBe(0);
  expect(storedCount(recorder.output())).toBe(3);
  expect(await inFolder(DATA_DIR)).toBe(3);
});

it('Files go through the spool while the service runs, all or none of each', async () => {
  const DATA_DIR = dataFolder();
  const service = start(['serve'], { DATA_DIR });
  const address = await service.address();
  const rows = Array.from(
    { length: 5000 },
    (_, n) => `2026-01-01T00:00:00.${String(n).padStart(6, '0')}Z,-20,,false\n`,
  ).join('');
  const csv = file(`time,rms_db,frequency_hz,is_silence\n${rows}`);
  const imported = start(['import', csv], { DATA_DIR });
  expect(await imported.ended).toBe(0);
  expect(imported.output()).toBe(
    'Another process has the database: the points go to it through the spool.\n' +
      'Stored 5,000 points, 2026-01-01T00:00:00.000000Z to 2026-01-01T00:00:00.004999Z.\n',
  );
  expect(await latest(address)).toHaveLength(5000);

  const replaced = start(['import', csv, '--replace'], { DATA_DIR });
  expect(await replaced.ended).toBe(0);
  expect(replaced.output()).toContain('Stored 5,000 points, 2026-01-01T00:00:00.000000Z to ');
  expect(replaced.output()).toContain(' Removed 5,000 points, 2026-01-01T00:00:00.000000Z to ');
  expect(await latest(address)).toHaveLength(5000);
  const interval = ['--from', '2026-01-01T00:00:00.001Z', '--to', '2026-01-02T00:00:00Z'];
  const sure = start(['delete', ...interval, '--yes'], { DATA_DIR });
  expect(await sure.ended).toBe(0);
  expect(sure.output()).toContain('Removed 4,000 points, 2026-01-01T00:00:00.001000Z to ');
  expect(await latest(address)).toHaveLength(1000);

  writeFileSync(csv, `${readFileSync(csv, 'utf8')}bad\n`);
  const refused = start(['import', csv], { DATA_DIR });
  expect(await refused.ended).toBe(1);
  expect(refused.output()).toContain('line 5002: has 1 columns');
  const sound = file(wav(encode('s16', [sine(440, 0.5)], 8000, 8000)), 'sound.wav');
  const recorded = start(['record', sound, '--start', '2026-02-01T00:00:00Z'], { DATA_DIR });
  expect(await recorded.ended).toBe(0);
  expect(storedCount(recorded.output())).toBe(10);
  expect(await latest(address)).toHaveLength(1010);
  const info = async () => (await fetch(`${address}/api/v1/service/info`)).text();
  await expect.poll(info).toContain('"periods":[{"since":"2026-02-01T00:00:00.000000Z"');

  const both = [0, 1].map(() => start(['record', sound, '--start', '2026-03-01T00:00:00Z'], { DATA_DIR }));
  expect((await Promise.all(both.map(({ ended }) => ended))).sort()).toEqual([0, 1]);
  expect(both.map(({ output }) => output()).join()).toContain(
    'its time already has points. --add stores both',
  );
  expect(await latest(address)).toHaveLength(1020);
  expect(segmentsOf(DATA_DIR)).toEqual([]);
});

it('The folder of the demo takes no points of a recorder, nor a folder with measured points the demo', async () => {
  const DATA_DIR = temporaryFolder();
  writeFileSync(join(DATA_DIR, 'demo'), '');
  const recorder = start(RECORD, { DATA_DIR });
  recorder.write(TONE);
  expect(await recorder.ended).toBe(1);
  expect(recorder.output()).toContain(`The data folder ${DATA_DIR} is the demo's, whose points are made up`);

  const other = temporaryFolder();
  const killed = start(RECORD, { DATA_DIR: other });
  const sound = play(killed);
  await expect.poll(() => segmentsOf(other).length).toBeGreaterThan(0);
  killed.kill('SIGKILL');
  await killed.ended;
  sound.stop();
  const demo = start(['demo'], { DATA_DIR: other });
  expect(await demo.ended).toBe(1);
  expect(demo.output()).toContain('a database that the demo did not make');
});
