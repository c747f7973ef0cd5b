// The worst power cut: an answer has just been sent, and only synced data survives.
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inject, it } from 'vitest';
import { temporaryFolder } from '../../process.ts';
import { seeded } from '../../seeded.ts';
import { cutAndOpen, record } from './recordings.ts';

it('The embedded database keeps every batch that it acknowledged, once, after a power cut', async () => {
  const base = temporaryFolder();
  mkdirSync(join(base, 'data'));
  cpSync(inject('dataFolder'), join(base, 'data'), { recursive: true });
  const recording = await record(base, 0, [4]);
  await cutAndOpen(recording, 1, seeded(1), true);
});
