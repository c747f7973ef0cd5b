import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { LastingClient } from '../../src/database/internals/pg.ts';
import { type Cluster, findPostgres, startCluster, timescaleSettings, withClient } from '../cluster.ts';
import { needs } from '../needs.ts';
import { ownFolder, run } from '../program.ts';

const compose = readFileSync(new URL('../../docker-compose.yml', import.meta.url), 'utf8');

/** A script in docker-compose.yml, in the form that its container gets. */
function scriptOf(config: string): string {
  const [, text = ''] =
    new RegExp(`^  ${config}:\n    content: \\|\n((?: {6}.*\n)+)`, 'm').exec(compose) ?? [];
  return text.replaceAll(/^ {6}/gm, '').replaceAll('$$', '$');
}

describe('The database of docker-compose.yml', needs('TimescaleDB', inject('timescale')), () => {
  const folder = ownFolder();
  const log = join(folder.path, 'server.log');
  const PASSWORD = `p@ss/w:rd#?%25 'x" \\ $HOME é`;
  let cluster: Cluster;
  let env: Record<string, string>;
  beforeAll(async () => {
    const bin = findPostgres() ?? '';
    const hba = join(folder.path, 'pg_hba.conf');
    // like the image, except that the image lets the owner in without a password
    writeFileSync(hba, 'host all audio_owner 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n');
    const logged = { logging_collector: 'on', log_directory: folder.path, log_filename: 'server.log' };
    cluster = await startCluster(bin, { ...timescaleSettings, ...logged, hba_file: hba });
    const { PATH = '' } = process.env;
    env = {
      PATH: `${bin}:${PATH}`,
      PGHOST: '127.0.0.1',
      PGPORT: new URL(cluster.url).port,
      POSTGRES_USER: 'postgres',
      POSTGRES_DB: 'audio',
      OWNER_PASSWORD: PASSWORD,
      READER_PASSWORD: PASSWORD,
    };
  });
  afterAll(async () => {
    await cluster?.stop();
    folder.remove();
  });
  const shell = (text: string, more?: Record<string, string>) =>
    run(['sh', '-ec', text], { env: { ...env, ...more } });
  const check = () => shell(scriptOf('check').replaceAll('/tmp/unfinished', `${log}-said`));
  const ADVICE = /creation was interrupted.*`docker compose down --volumes` removes it/g;

  it('is not healthy before it has a database and roles, and logs the fix once', async () => {
    const first = await check();
    expect([first.status, first.stdout]).toEqual([
      1,
      expect.stringContaining('"audio_reader" does not exist'),
    ]);
    const again = await check();
    expect([again.status, again.stdout]).toEqual([1, first.stdout]);
    expect(first.stdout).toMatch(ADVICE);
    expect(readFileSync(log, 'utf8').match(ADVICE)).toHaveLength(1);
  });

  it('gets all roles and rights at once and then is healthy, or gets none', async () => {
    await withClient(cluster.url, (client) => client.query('create database audio'));
    const half = scriptOf('roles').replace(/^grant execute.*$/m, 'select interrupted;');
    expect(await shell(half)).toMatchObject({ status: 3 });
    expect((await check()).status).toBe(1);
    expect(await shell(scriptOf('roles'))).toMatchObject({ status: 0 });
    expect(await check()).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('accepts passwords with any characters, in PGPASSWORD', async () => {
    const [, url = ''] = /DATABASE_URL: (.*audio_owner@.*)/.exec(compose) ?? [];
    const connectionString = url.replace('db:5432', new URL(cluster.url).host);
    vi.stubEnv('PGPASSWORD', PASSWORD);
    onTestFinished(() => void vi.unstubAllEnvs());
    const client = new LastingClient({ connectionString });
    await client.connect();
    expect((await client.query('select current_user as role')).rows).toEqual([{ role: 'audio_owner' }]);
    await client.end();
  });
});
