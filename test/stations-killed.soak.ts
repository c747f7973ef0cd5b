// Kills, at random, commands that create, fill, migrate and remove stations. Repeating a command completes it or
// reports what exists, and other stations keep their points.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, it, onTestFinished } from 'vitest';
import { migrate } from '../src/cli/migrate.ts';
import { startCluster, withClient } from './cluster.ts';
import { callStation } from './in-process.ts';
import { needs } from './needs.ts';
import { dataFolder, start, startKillable, temporaryFolder } from './process.ts';
import { file } from './recorder/run.ts';
import { seeded, soakNumber, soakSeed } from './seeded.ts';

const ROUNDS = soakNumber('STATION_ROUNDS', 1);
const KILLS = 2;
const LONGEST_MS = 4000;
const timeout = 3_600_000;
const random = seeded(soakSeed());

const POINTS = 60_000;
const at = (n: number) => new Date(Date.UTC(2026, 0, 1) + 1000 * n).toISOString();
const CSV = Array.from({ length: POINTS }, (_, n) => `${at(n)},-20,440,false\n`).join('');

type Service = Pick<Awaited<ReturnType<typeof startKillable>>, 'address' | 'kill'>;

async function commandsAreKilled(
  environment: Record<string, string>,
  service: Service,
  killed: readonly string[][] = [],
) {
  async function well(...args: string[]): Promise<void> {
    const running = start(args, environment);
    expect([args, await running.ended, running.output()]).toEqual([args, 0, expect.any(String)]);
  }
  const station = (...args: string[]) => callStation(args, environment);
  const listed = async () => (await station('list')).split('\n').map((line) => line.split('\t')[0]);
  const pointsOf = async (name: string) => /points: (\d+)/.exec(await station('show', name))?.[1];

  /** Asserts that a station is either listed, whole and served, or absent. */
  async function agree(name: string): Promise<boolean> {
    const isListed = (await listed()).includes(name);
    const path = `/stations/${name}/api/v1/audio/latest`;
    const status = async () => (await fetch(`${await service.address()}${path}`)).status;
    await expect.poll(status, { message: `${name} is served` }).toBe(isListed ? 200 : 404);
    expect(await pointsOf('kept')).toBe(String(POINTS));
    return isListed;
  }

  /** @param refused the message of the repeated command if its work was done before it was killed */
  async function repeated(args: string[], name: string, refused: RegExp): Promise<void> {
    for (let kill = 0; kill < KILLS; kill++) {
      const running = start(args, environment);
      await sleep(LONGEST_MS * random());
      if (random() < 0.3) await service.kill();
      running.kill('SIGKILL');
      await running.ended;
      await agree(name);
    }
    const last = start(args, environment);
    if ((await last.ended) !== 0) expect(last.output()).toMatch(refused);
  }

  await station('add', 'kept', '--raw-retention', 'off', '--place-name', 'Elm Street');
  await well('import', file(`time,rms_db,frequency_hz,is_silence\n${CSV}`), '--station', 'kept');
  const backup = join(temporaryFolder(), 'kept.backup');
  await well('backup', backup, '--station', 'kept');
  for (let round = 0; round < ROUNDS; round++) {
    await repeated(['station', 'add', 'moved'], 'moved', /The station moved already exists/);
    expect(await agree('moved')).toBe(true);
    await repeated(['station', 'remove', 'moved', '--yes'], 'moved', /There is no station moved/);
    expect(await agree('moved')).toBe(false);
    await repeated(['restore', backup, '--station', 'moved'], 'moved', /has points already/);
    expect([await agree('moved'), await pointsOf('moved')]).toEqual([true, String(POINTS)]);
    expect(await station('show', 'moved')).toContain('place_name: Elm Street');
    for (const args of killed) await repeated(args, 'moved', /^$/);
    await repeated(['station', 'remove', 'moved', '--yes'], 'moved', /There is no station moved/);
    expect(await agree('moved')).toBe(false);
  }
}

it('Repeated commands on stations of the embedded database complete', { timeout }, async () => {
  const environment = { DATA_DIR: dataFolder(), RAW_RETENTION: 'off' };
  await commandsAreKilled(environment, await startKillable(environment));
});

const bin = inject('postgresBin');
it('Repeated commands on stations of PostgreSQL complete', {
  ...needs('PostgreSQL', bin),
  timeout,
}, async () => {
  const { url, stop } = await startCluster(bin ?? '', {});
  onTestFinished(stop);
  await migrate({ url, rawRetention: 'off' });
  const environment = { DATABASE_URL: url, DATA_DIR: temporaryFolder(), RAW_RETENTION: 'off' };
  const service = await startKillable(environment);
  await commandsAreKilled(environment, service, [['migrate']]);
  const { rows } = await withClient(url, (client) =>
    client.query(`select nspname from pg_namespace where nspname = 'moved'`),
  );
  expect(rows).toEqual([]);
});
