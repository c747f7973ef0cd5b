// Recorders and services, each a process of its own: what a recorder is told of the points before.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import type { LevelScale } from '../../src/contract/periods.ts';
import { InfoOutput } from '../../src/contract/service.ts';
import { SummaryOutput } from '../../src/contract/summary.ts';
import { openPglite } from '../../src/db/pglite.ts';
import { createDatabase, statement } from '../engines.ts';
import { needs } from '../needs.ts';
import { dataFolder, NO_DATABASE, type Running, start, temporaryFolder } from '../process.ts';
import { file } from './run.ts';
import { encode, sine, wav } from './sound.ts';

const RECORD = ['record', '-', '--rate', '8000', '--format', 's16le'];
const STREET = ['--weighting', 'A', '--reference-db', '85', '--calibration', '100'];
const ROAD = ['--weighting', 'A', '--reference-db', '95', '--calibration', '100'];
const SECOND = encode('s16', [sine(1000, 0.1)], 8000, 8000);

/** Plays a second of sound to a recorder, and ends it. */
async function play(recorder: Running): Promise<{ code: number | null; output: string }> {
  recorder.write(SECOND);
  return { code: await recorder.ended, output: recorder.output() };
}

const REFUSED =
  /--reference-db: 95, and the points since \S+ have 85\nLevels would not compare: .*--new-period/;

/** Three recorders in turn: the second is told something else, the third a new period too. */
async function takeTurns(address: string, environment: Record<string, string>): Promise<void> {
  const info = async () => InfoOutput.parse(await (await fetch(`${address}/api/v1/service/info`)).json());
  const scale = async () => {
    const answer = await fetch(`${address}/api/v1/stats/summary?period=1h`);
    return SummaryOutput.parse(await answer.json());
  };
  expect((await info()).periods).toEqual([]);
  expect(await play(start([...RECORD, ...STREET], environment))).toMatchObject({ code: 0 });
  await expect.poll(async () => (await info()).periods.length).toBe(1);
  const { point_count, ...before } = await scale();
  expect(before.scale).toEqual({
    unit: 'dB(A)',
    reference_db: 85,
    recording_period_count: 1,
  } satisfies LevelScale);
  expect(before.leq_db).toBeCloseTo(100 - 23.01 - 85, 1);

  const refused = await play(start([...RECORD, ...ROAD], environment));
  expect(refused).toEqual({ code: 2, output: expect.stringMatching(REFUSED) });
  const sound = file(wav(SECOND), 'sound.wav');
  const past = start(['record', sound, '--start', 'now', ...ROAD], environment);
  expect([await past.ended, past.output()]).toEqual([2, expect.stringMatching(REFUSED)]);
  expect((await scale()).point_count).toBe(point_count);

  expect(await play(start([...RECORD, ...ROAD, '--new-period'], environment))).toMatchObject({ code: 0 });
  await expect.poll(async () => (await info()).periods.length).toBe(2);
  expect((await info()).periods).toMatchObject([
    { unit: 'dB(A)', reference_db: 95, weighting: 'A', time_weighting: null, calibration_db: 100 },
    { unit: 'dB(A)', reference_db: 85, interval_ms: 100, channel: 'mean' },
  ]);
  await expect
    .poll(async () => (await scale()).scale)
    .toEqual({ unit: null, reference_db: null, recording_period_count: 2 });
}

describe('A recorder that is told something else than the one before', () => {
  it('is refused beside the service on the embedded database, unless it begins a new period', async () => {
    const DATA_DIR = dataFolder();
    const service = start(['serve'], { DATA_DIR });
    await takeTurns(await service.address(), { DATA_DIR });
    expect(await service.stop()).toBe(0);
    const alone = start(['serve', '--record', 'sleep 60', '--rate', '8000', ...STREET], { DATA_DIR });
    expect(await alone.ended).toBe(2);
    expect(alone.output()).toMatch(/--reference-db: 85, and the points since \S+ have 95/);
  });

  it(
    'is refused with PostgreSQL, also while that is away',
    needs('PostgreSQL', inject('postgres')),
    async () => {
      const server = inject('postgres');
      if (!server) throw new Error('skipped');
      const { url, drop } = await createDatabase(server, server.template);
      onTestFinished(drop);
      const DATA_DIR = temporaryFolder();
      const service = start(['serve'], { DATABASE_URL: url });
      await takeTurns(await service.address(), { DATABASE_URL: url, DATA_DIR });
      const away = await play(start([...RECORD, ...STREET], { DATABASE_URL: NO_DATABASE, DATA_DIR }));
      expect(away).toEqual({
        code: 2,
        output: expect.stringMatching(/--reference-db: 85, and the points since \S+ have 95/),
      });
      expect(await service.stop()).toBe(0);
    },
  );

  it('and is killed before its points are stored loses none, and the new period is a warning', async () => {
    const DATA_DIR = dataFolder();
    const segments = () => {
      const spool = join(DATA_DIR, 'spool');
      return existsSync(spool) ? readdirSync(spool).filter((name) => name.endsWith('.csv')) : [];
    };
    for (const told of [STREET, ROAD]) {
      const before = segments().length;
      const recorder = start([...RECORD, ...told], { DATA_DIR });
      const timer = setInterval(() => recorder.feed(SECOND.subarray(0, 1600)), 100);
      await expect.poll(() => segments().length).toBeGreaterThan(before + 2);
      recorder.kill('SIGKILL');
      await recorder.ended;
      clearInterval(timer);
    }
    const waiting = segments().reduce((sum, name) => sum + Number(name.split('-')[2]), 0);
    const service = start(['serve'], { DATA_DIR });
    await service.address();
    await expect.poll(segments).toEqual([]);
    service.kill('SIGKILL');
    await service.ended;
    expect(service.output()).toMatch(
      /Warning: a new period begins at \S+: dB\(A\) with the reference 95, after dB\(A\) with the reference 85\./,
    );
    const db = await openPglite({ dataDir: DATA_DIR });
    onTestFinished(() => db.close());
    const rows = await db.query(
      statement(`select reference_db,
        (select count(*) from audio_data where time >= since and time < coalesce(
          (select min(since) from audio_data_periods later where later.since > period.since), 'infinity')) > 0 as has_points,
        (select count(*) from audio_data) as all
        from audio_data_periods period order by since`),
    );
    expect(rows).toEqual([85, 95].map((reference_db) => ({ reference_db, has_points: true, all: waiting })));
  });
});

it('A calibration that is kept is what the next recorder takes', async () => {
  const DATA_DIR = dataFolder();
  const rateHz = 8000;
  const calibrator = file(wav(encode('s16', [sine(250, 0.1)], rateHz, 3 * rateHz)), 'calibrator.wav');
  const calibrate = start(['record', 'calibrate', calibrator, '--level', '94'], { DATA_DIR });
  expect(await calibrate.ended).toBe(0);
  expect(calibrate.output()).toContain('CALIBRATION_OFFSET_DB=117.01');
  const { output } = await play(start([...RECORD, '--reference-db', '100'], { DATA_DIR }));
  expect(output).toMatch(/^The calibration is 117\.01 dB, of 20/);
  const db = await openPglite({ dataDir: DATA_DIR });
  const rows = statement('select reference_db, calibration_db from audio_data_periods');
  expect(await db.query(rows)).toEqual([{ reference_db: 100, calibration_db: 117.01 }]);
  const levels = statement('select distinct rms_db::text as level from audio_data');
  expect(await db.query(levels)).toEqual([{ level: '-6' }]); // 94 dB
  await db.close();
  expect(JSON.parse(readFileSync(join(DATA_DIR, 'spool', 'periods.json'), 'utf8'))).toHaveLength(1);
  writeFileSync(join(DATA_DIR, 'calibration.json'), '[]');
  const without = await play(start([...RECORD, '--reference-db', '100'], { DATA_DIR }));
  expect(without).toEqual({
    code: 2,
    output: expect.stringContaining('--reference-db: needs a calibration'),
  });
});
