// The command in the recorder's unit pipes arecord into a recorder. `systemd.test.ts` tests the service that records.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dataFolder, temporaryFolder } from '../process.ts';
import { run } from '../program.ts';
import { commandOf, ROOT, unit } from './units.ts';

it('records the output of arecord', async () => {
  const folder = temporaryFolder();
  const sound = join(folder, 'arecord'); // a second of silence instead of a microphone
  writeFileSync(sound, '#!/bin/sh\nhead -c 96000 /dev/zero\n', { mode: 0o755 });
  const [, script = ''] =
    /^\/bin\/sh -c '(.+)'$/.exec(commandOf(unit('audio-metrics-recorder.service'))) ?? [];
  const { PATH } = process.env;
  const env = { PATH: `${folder}:${PATH}`, DATA_DIR: dataFolder() };
  const recorded = await run(['/bin/sh', '-c', script], { cwd: ROOT, env });
  expect(recorded.status).toBe(0);
  expect(`${recorded.stdout}${recorded.stderr}`).toContain('10 points');
});
