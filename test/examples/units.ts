// The units of `examples/systemd` as somebody installs them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLES } from './run.ts';

export const ROOT = join(import.meta.dirname, '../..');

/** A unit of a project that is in this folder. */
export function unit(name: string): string {
  return readFileSync(new URL(`systemd/${name}`, EXAMPLES), 'utf8').replaceAll('/opt/audio-metrics', ROOT);
}

export const commandOf = (text: string) => /^ExecStart=(.+)$/m.exec(text)?.[1] ?? '';
