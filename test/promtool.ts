// Prometheus's own checker, if this machine has it.
import { spawnSync } from 'node:child_process';

export const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

/** Runs `promtool ARGS`. Even with status 0, its output may hold complaints. */
export function promtool(args: readonly string[], input = ''): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
}
