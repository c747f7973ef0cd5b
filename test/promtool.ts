// Prometheus's own checker, where this machine has it.
import { spawnSync } from 'node:child_process';

/** Whether it is here; the tests that need it skip otherwise. */
export const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

/** Runs `promtool ARGS`. What it complains of is in its output, also where it does not fail. */
export function promtool(args: readonly string[], input = ''): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
}
