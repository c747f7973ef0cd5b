// Importers that the service runs.

import { createServer } from 'node:net';
import { connectAsync } from 'mqtt';
import { expect, it } from 'vitest';
import { freePort, listen } from '../cluster.ts';
import { callStation } from '../in-process.ts';
import { needs } from '../needs.ts';
import { mosquitto, startMosquitto } from '../notify/mosquitto.ts';
import { dataFolder, start } from '../process.ts';

it(
  'The service runs importers, and stores what they have acknowledged before it ends',
  needs('mosquitto', mosquitto),
  async () => {
    const DATA_DIR = dataFolder();
    await callStation(['add', 'garden'], { DATA_DIR });
    const { host } = await startMosquitto();
    const port = await freePort();
    const listening = `--listen 127.0.0.1:${port} --columns level`;
    const subscribing = `garden=--mqtt mqtt://anna:secret@${host}/level --columns "level=the level"`;
    const service = start(['serve', '--import', listening, '--import', subscribing], { DATA_DIR });
    const address = await service.address();
    const latest = async (station = '') => (await fetch(`${address}${station}/api/v1/audio/latest`)).json();
    const post = (level: number) =>
      fetch(`http://127.0.0.1:${port}/default`, { method: 'POST', body: `${level}` });
    await expect.poll(service.output).toContain('The importer says: Listening');
    await expect.poll(service.output).toContain('The importer says: Subscribed');
    expect((await fetch(`http://127.0.0.1:${port}/street`, { method: 'POST', body: '-20' })).status).toBe(
      404,
    );
    await expect.poll(service.output).toMatch(/"level":40,.*The importer says: Warning: refused a post/);
    expect((await post(-20)).status).toBe(204);
    await expect.poll(() => latest()).toMatchObject({ points: [{ rms_db: -20 }] });
    const client = await connectAsync(`mqtt://${host}`);
    await client.publishAsync('level', '{"the level":-21}', { qos: 1 });
    await client.endAsync();
    await expect.poll(() => latest('/stations/garden')).toMatchObject({ points: [{ rms_db: -21 }] });
    expect((await post(-22)).status).toBe(204);
    expect(await service.stop()).toBe(0);
    await expect(post(-23)).rejects.toThrow();
    expect(service.output()).not.toContain('secret');
    const again = start(['serve'], { DATA_DIR });
    const stored = await (await fetch(`${await again.address()}/api/v1/audio/latest`)).json();
    expect(stored).toMatchObject({ points: [{ rms_db: -22 }, { rms_db: -20 }] });
  },
);

it.each(['--columns level', 'garden=--listen 127.0.0.1:3100', 'garden=points.csv'])(
  'The service refuses to import %s',
  async (options) => {
    const service = start(['serve', '--import', options]);
    expect(await service.ended).toBe(2);
    expect(service.output()).toContain('with --mqtt or --listen');
  },
);

it('An importer ends if the service is killed', async () => {
  const port = await freePort();
  const args = ['serve', '--import', `--listen 127.0.0.1:${port} --columns level`];
  const service = start(args, { DATA_DIR: dataFolder() });
  const post = () => fetch(`http://127.0.0.1:${port}/default`, { method: 'POST', body: '-20' });
  await expect.poll(service.output).toContain('The importer says: Listening');
  expect((await post()).status).toBe(204);
  service.kill('SIGKILL');
  await service.ended;
  await expect.poll(() => post().catch(({ cause }) => cause.code)).toBe('ECONNREFUSED');
});

it('An importer with wrong options is reported as an error and not restarted, and the service runs on', async () => {
  const service = start(['serve', '--import', '--listen 127.0.0.1:0 --colums level'], {
    DATA_DIR: dataFolder(),
  });
  const error = /"level":50,.*The importer is not restarted.*Unknown option '--colums'.*mean --columns/;
  await expect.poll(service.output).toMatch(error);
  expect((await fetch(`${await service.address()}/api/v1/health/ready`)).status).toBe(200);
  expect(await service.stop()).toBe(0);
  expect(service.output()).not.toContain('Restarting');
});

it('An importer that cannot run now is restarted', async () => {
  const taken = createServer();
  const port = await listen(taken);
  const args = ['serve', '--import', `--listen 127.0.0.1:${port} --columns level`];
  const service = start(args, { DATA_DIR: dataFolder() });
  await expect
    .poll(service.output)
    .toMatch(/"level":40,.*The importer ended \(exit code 1\)\. Restarting it/);
  taken.close();
  await expect.poll(service.output).toContain('The importer says: Listening');
});
