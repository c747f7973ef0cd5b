// Kills a service, and pairs of commands beside it, at random. A repeated command must complete its work.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { expect, inject, it, onTestFinished } from 'vitest';
import { migrate } from '../../src/cli/migrate.ts';
import { openPglite } from '../../src/database/pglite.ts';
import { startCluster, withClient } from '../cluster.ts';
import { statement } from '../engines.ts';
import { needs } from '../needs.ts';
import { dataFolder, type Running, start, startKillable, temporaryFolder } from '../process.ts';
import { encode, sine, wav } from '../recorder/sound.ts';
import { seeded, soakNumber, soakSeed } from '../seeded.ts';

const ROUNDS = soakNumber('COMMAND_ROUNDS', 1);
const LONGEST_MS = 4000;
const random = seeded(soakSeed());

const POINTS = 120_000;
const at = (n: number) => `${new Date(Date.UTC(2026, 0, 1) + 100 * n).toISOString().slice(0, -1)}000Z`;
const COUNT = `select count(*)::int as n, count(distinct time)::int as times,
  count(*) filter (where time >= '2026-02-01Z')::int as recorded from audio_data`;
const JANUARY = ['--from', '2026-01-01T00:00:00Z', '--to', '2026-02-01T00:00:00Z', '--yes'];

interface Counted {
  n: number;
  times: number;
  recorded: number;
}

/** Runs commands on a database, kills them, and repeats them until each succeeds. */
async function commandsAreKilled(
  environment: Record<string, string>,
  service: { kill(): Promise<void> } | undefined,
  counted: () => Promise<Counted | undefined>,
) {
  const folder = temporaryFolder();
  const csv = join(folder, 'points.csv');
  const lines = Array.from({ length: POINTS }, (_, n) => `${at(n)},-20,440,false\n`);
  writeFileSync(csv, `time,rms_db,frequency_hz,is_silence\n${lines.join('')}`);
  const sound = join(folder, 'sound.wav');
  writeFileSync(sound, wav(encode('s16', [sine(440, 0.5)], 8000, 8000)));
  const recording = ['record', sound, '--start', '2026-02-01T00:00:00Z', '--replace'];
  const importing = ['import', csv, '--replace'];

  /** Runs these commands at once, kills them twice, and then lets each finish. */
  async function repeated(...commands: string[][]) {
    const done = new Set<string[]>(); // once a restore has reported success, it would be refused
    for (let kill = 0; kill < 2; kill++) {
      const running: Running[] = commands.map((args) => start(args, environment));
      await sleep(LONGEST_MS * random());
      if (service && random() < 0.4) await service.kill();
      for (const each of running) each.kill('SIGKILL');
      await Promise.all(running.map(({ ended }) => ended));
      for (const [index, args] of commands.entries())
        if (args[0] === 'restore' && running[index]?.output().includes('Stored ')) done.add(args);
    }
    for (const args of commands) {
      if (done.has(args)) continue;
      const last = start(args, environment);
      const code = await last.ended;
      expect([args[0], code, code === 0 ? '' : last.output()]).toEqual([args[0], 0, '']);
    }
  }

  for (let round = 0; round < ROUNDS; round++) {
    await repeated(importing, recording);
    expect(await counted()).toEqual({ n: POINTS + 10, times: POINTS + 10, recorded: 10 });
    const backup = join(folder, `${round}.backup`);
    await repeated(['backup', backup, '--force'], recording);
    expect(gunzipSync(readFileSync(backup)).toString().split('\n')).toHaveLength(POINTS + 10 + 3);
    await repeated(['delete', ...JANUARY], recording);
    expect(await counted()).toEqual({ n: 10, times: 10, recorded: 10 });
    await repeated(['delete', '--from', '2026-02-01T00:00:00Z', '--to', 'now', '--yes']);
    await repeated(['restore', backup]);
    expect(await counted()).toEqual({ n: POINTS + 10, times: POINTS + 10, recorded: 10 });
    await repeated(['delete', '--from', '2026-01-01T00:00:00Z', '--to', 'now', '--yes']);
  }
}

it('Repeated commands complete on the embedded database', { timeout: 3_600_000 }, async () => {
  const DATA_DIR = dataFolder();
  const environment = { DATA_DIR, RAW_RETENTION: 'off' };
  let service = await startKillable(environment);
  const kill = () => service.kill();
  await commandsAreKilled(environment, { kill }, async () => {
    expect(await service.stop()).toBe(0);
    const db = await openPglite({ dataDir: DATA_DIR });
    const [row] = await db.query<Counted>(statement(COUNT));
    await db.close();
    service = await startKillable(environment);
    return row;
  });
});

const bin = inject('postgresBin');
it('Repeated commands complete on PostgreSQL', {
  ...needs('PostgreSQL', bin),
  timeout: 3_600_000,
}, async () => {
  const cluster = await startCluster(bin ?? '', {});
  onTestFinished(() => cluster.stop());
  await migrate({ url: cluster.url, rawRetention: 'off' });
  await commandsAreKilled(
    { DATABASE_URL: cluster.url, DATA_DIR: temporaryFolder(), RAW_RETENTION: 'off' },
    undefined,
    () => withClient(cluster.url, async (client) => (await client.query<Counted>(COUNT)).rows[0]),
  );
});
