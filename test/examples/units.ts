// The units of `examples/systemd`, as users install them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLES } from './run.ts';

export const ROOT = join(import.meta.dirname, '../..');

/** A unit adapted to a project in this folder. */
export function unit(name: string): string {
  return readFileSync(new URL(`systemd/${name}`, EXAMPLES), 'utf8').replaceAll('/opt/audio-metrics', ROOT);
}

export const commandOf = (text: string) => /^ExecStart=(.+)$/m.exec(text)?.[1] ?? '';
