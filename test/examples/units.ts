// The units in `examples/systemd`, as users install them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLES } from './run.ts';

export const ROOT = join(import.meta.dirname, '../..');

/** The unit, with the folder of this project. */
export function unit(name: string): string {
  return readFileSync(new URL(`systemd/${name}`, EXAMPLES), 'utf8').replaceAll('/opt/audio-metrics', ROOT);
}

export const commandOf = (text: string) => /^ExecStart=(.+)$/m.exec(text)?.[1] ?? '';
