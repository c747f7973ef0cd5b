// Prometheus's own checker, if this machine has it.
import { spawnSync } from 'node:child_process';

/** Whether it is installed; tests that need it skip otherwise. */
export const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

/** Runs `promtool ARGS`. Its output holds its complaints, even if it exits with 0. */
export function promtool(args: readonly string[], input = ''): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
}
