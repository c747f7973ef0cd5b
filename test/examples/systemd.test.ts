// The units in `examples/systemd`: verifies them with systemd, and runs their commands.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { needs } from '../needs.ts';
import { dataFolder, start, temporaryFolder } from '../process.ts';
import { firstThatRuns, run } from '../program.ts';
import { commandOf, ROOT, unit } from './units.ts';

const analyze = firstThatRuns(['systemd-analyze', '--version']);

it.each(['audio-metrics.service', 'audio-metrics-recorder.service'])(
  'systemd has no complaint about %s',
  needs('systemd', analyze),
  async (name) => {
    const file = join(temporaryFolder(), name);
    writeFileSync(file, unit(name));
    const verified = await run([analyze ?? '', 'verify', '--man=no', file], { cwd: ROOT });
    expect(verified).toEqual({ status: 0, stdout: '', stderr: '' });
  },
);

it('systemd has no complaint about the service with a microphone', needs('systemd', analyze), async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'audio-metrics.service');
  writeFileSync(file, unit('audio-metrics.service'));
  mkdirSync(`${file}.d`);
  writeFileSync(join(`${file}.d`, 'record.conf'), unit('audio-metrics-record.conf'));
  const verified = await run([analyze ?? '', 'verify', '--man=no', file], { cwd: ROOT });
  expect(verified).toEqual({ status: 0, stdout: '', stderr: '' });
});

it('serves with the settings of its unit, records with the drop-in, and ends on a signal', async () => {
  const text = unit('audio-metrics.service');
  const [node, flag, main] = commandOf(text).split(' ');
  expect([node, flag, main]).toEqual([
    join(ROOT, 'node_modules/.bin/node'),
    '--max-semi-space-size=4',
    'src/main.ts',
  ]);
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'arecord'), '#!/bin/sh\nhead -c 96000 /dev/zero\n', { mode: 0o755 });
  const [, before = '', command = '', after = ''] =
    /^ExecStart=(.+ serve) --record '(.+)' (.+)$/m.exec(unit('audio-metrics-record.conf')) ?? [];
  expect(before).toBe(commandOf(text));
  const settings = /^Environment=(.+)$/m.exec(text)?.[1]?.replace('%S', folder).split(' ') ?? [];
  const environment = Object.fromEntries(settings.map((each) => each.split('=')));
  cpSync(dataFolder(), environment.DATA_DIR, { recursive: true });
  const { PATH } = process.env;
  const args = ['serve', '--record', command, ...after.split(' ')];
  const service = start(args, { ...environment, PATH: `${folder}:${PATH}` });
  const address = await service.address();
  const latest = async () => (await fetch(`${address}/api/v1/audio/latest`)).text();
  await expect.poll(latest).toMatch(/"rms_db":-50/);
  const { status } = await fetch(`${address}/api/v1/health/ready`);
  expect([status, await service.stop()]).toEqual([200, 0]);
});
