// Runs the embedded database in another process, which a test can kill.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { statement } from '../engines.ts';
import { LIFTOFF } from '../liftoff.ts';

export const POINTS = statement<{ n: number }>('select count(*) as n from audio_data');

export interface Elsewhere {
  kill(): Promise<unknown>;
  /** The number of lines that the process has written. */
  lines(): number;
}

/** Runs `body` on the folder in another process, and returns when that process has written a line. */
export async function elsewhere(dataDir: string, body: string): Promise<Elsewhere> {
  const driver = fileURLToPath(new URL('../../src/database/pglite.ts', import.meta.url));
  const script = `const { openPglite } = await import(${JSON.stringify(driver)});
    const dataDir = ${JSON.stringify(dataDir)}; ${body}`;
  const child = spawn(process.execPath, [LIFTOFF, '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let written = '';
  child.stdout.on('data', (text) => (written += text));
  const ended = once(child, 'close');
  const kill = () => {
    child.kill('SIGKILL');
    return ended;
  };
  onTestFinished(async () => void (await kill()));
  await once(child.stdout, 'data');
  return { kill, lines: () => written.split('\n').length - 1 };
}
