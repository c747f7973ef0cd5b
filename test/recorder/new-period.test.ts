// Recorders and services on one database: how a recorder treats points with other settings before its own.
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { instantOf } from '../../src/contract/instant.ts';
import { type LevelScale, UNKNOWN } from '../../src/contract/periods.ts';
import { createDatabase } from '../engines.ts';
import { call, serve } from '../in-process.ts';
import { needs } from '../needs.ts';
import { dataFolder, NO_DATABASE, temporaryFolder } from '../process.ts';
import { file } from './run.ts';
import { encode, sine, wav } from './sound.ts';
import { openTestSpool, rows } from './spool/segments.ts';

const RECORD = ['record', '-', '--rate', '8000', '--format', 's16le'] as const;
const STREET = ['--weighting', 'A', '--reference-db', '85', '--calibration', '100'];
const ROAD = ['--weighting', 'A', '--reference-db', '95', '--calibration', '100'];
const SECOND = encode('s16', [sine(1000, 0.1)], 8000, 8000);

/** Plays a second of sound to a recorder. */
async function play(args: readonly string[], environment: Record<string, string>) {
  const recorder = call([...RECORD, ...args], environment);
  recorder.write(SECOND);
  return { error: await recorder.ended, output: recorder.output() };
}

const refusal = (given: number, before: number) => ({
  code: 'BAD_REQUEST',
  message: expect.stringMatching(
    `--reference-db: ${given}, but the points since \\S+ have ${before}\\nLevels would not compare: .*--new-period`,
  ),
});

type Service = Awaited<ReturnType<typeof serve>>;

/** Three recorders in turn: the second has other settings, the third also starts a new period. */
async function recordInTurn(service: Service, environment: Record<string, string>): Promise<void> {
  const { info } = service;
  const scale = () => service.summary('period=1h');
  expect((await info()).periods).toEqual([]);
  expect(await play(STREET, environment)).toMatchObject({ error: undefined });
  await expect.poll(async () => (await info()).periods.length).toBe(1);
  const { point_count, ...before } = await scale();
  expect(before.scale).toEqual({
    levels: 'stored',
    unit: 'dB(A)',
    reference_db: 85,
    floor_db: -50,
    weighting: 'A',
    time_weighting: null,
    statistic: 'leq',
    energy_unavailable: false,
    recording_period_count: 1,
  } satisfies LevelScale);
  expect(before.leq_db).toBeCloseTo(100 - 23.01 - 85, 1);

  expect((await play(ROAD, environment)).error).toMatchObject(refusal(95, 85));
  const sound = file(wav(SECOND), 'sound.wav');
  const past = call(['record', sound, '--start', 'now', ...ROAD], environment);
  expect(await past.ended).toMatchObject(refusal(95, 85));
  expect((await scale()).point_count).toBe(point_count);

  expect(await play([...ROAD, '--new-period'], environment)).toMatchObject({ error: undefined });
  await expect.poll(async () => (await info()).periods.length).toBe(2);
  expect((await info()).periods).toMatchObject([
    { unit: 'dB(A)', reference_db: 95, weighting: 'A', time_weighting: null, calibration_db: 100 },
    { unit: 'dB(A)', reference_db: 85, interval_ms: 100, channel: 'mean' },
  ]);
  await expect
    .poll(async () => (await scale()).scale)
    .toMatchObject({ unit: null, reference_db: null, recording_period_count: 2 });
}

/** After all points are deleted, no level is left to compare with. */
async function recordAfterDelete(environment: Record<string, string>): Promise<void> {
  const all = ['--from', '0001-01-01T00:00:00Z', '--to', '9999-01-01T00:00:00Z', '--yes'];
  expect(await call(['delete', ...all], environment).ended).toBeUndefined();
  expect(await play(STREET, environment)).toMatchObject({ error: undefined });
}

describe('A recorder with settings unlike its predecessor', () => {
  it('is refused beside the service on the embedded database, unless it begins a new period', async () => {
    const DATA_DIR = dataFolder();
    const service = await serve({ DATA_DIR });
    await recordInTurn(service, { DATA_DIR });
    await service.stop();
    const alone = serve({ DATA_DIR }, '--record', 'sleep 60', '--rate', '8000', ...STREET);
    await expect(alone).rejects.toMatchObject(refusal(85, 95));
    await recordAfterDelete({ DATA_DIR });
  });

  it(
    'is refused with PostgreSQL, even while PostgreSQL is away',
    needs('PostgreSQL', inject('postgres')),
    async () => {
      const server = inject('postgres');
      if (!server) throw new Error('skipped');
      const { url, drop } = await createDatabase(server, server.template);
      onTestFinished(drop);
      const DATA_DIR = temporaryFolder();
      const service = await serve({ DATABASE_URL: url });
      await recordInTurn(service, { DATABASE_URL: url, DATA_DIR });
      const away = await play(STREET, { DATABASE_URL: NO_DATABASE, DATA_DIR });
      expect(away.error).toMatchObject(refusal(85, 95));
      await recordAfterDelete({ DATABASE_URL: url, DATA_DIR });
      await service.stop();
    },
  );

  it('starts a new period with a warning if the earlier points are not stored yet, and loses none', async () => {
    const DATA_DIR = dataFolder();
    const spool = await openTestSpool(join(DATA_DIR, 'spool')); // segments that killed recorders left there
    for (const [n, reference_db] of [85, 95].entries()) {
      const settings = { ...UNKNOWN, weighting: 'A', reference_db, interval_ms: 1000 } as const;
      const as = { settings, since: instantOf(10_000 * n), isNewPeriod: false };
      for (const from of [0, 3, 6]) await spool.write(rows(10 * n + from, 3), { head: { as } });
    }
    const service = await serve({ DATA_DIR });
    await expect.poll(spool.waiting).toEqual([]);
    expect(service.output()).toMatch(
      /Warning: a new period begins at 1970-01-01T00:00:10\S+: dB\(A\) with the reference 95, after dB\(A\) with the reference 85\./,
    );
    expect(await service.latest()).toHaveLength(18);
    await expect
      .poll(async () => (await service.info()).periods)
      .toMatchObject([
        { reference_db: 95, since: instantOf(10_000) },
        { reference_db: 85, since: instantOf(0) },
      ]);
  });
});
