// Runs the service as its own process, as an operator does.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { LIFTOFF } from './liftoff.ts';
import { inherited } from './program.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');

export interface Running {
  /** Everything that it has printed so far, on both streams. */
  output(): string;
  kill(signal: NodeJS.Signals): void;
  /** Ends it with SIGTERM. @returns the exit code */
  stop(): Promise<number | null>;
  /** Writes to its standard input, which stays open. */
  feed(input: Uint8Array): void;
  /** Writes to its standard input, and ends it. */
  write(input: string | Uint8Array): void;
  /** The exit code, once it has ended; null if a signal ended it. */
  ended: Promise<number | null>;
  /** The address on which it listens. Rejects if it ends before. */
  address(): Promise<string>;
}

/** A folder that is removed with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'audio-metrics-data-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A migrated data folder, on which a service starts in half the time that it needs on an empty one. */
export function dataFolder(): string {
  const folder = temporaryFolder();
  cpSync(inject('dataFolder'), folder, { recursive: true });
  return folder;
}

/** A DATABASE_URL that no server has: the service starts at once, without a database. */
export const NO_DATABASE = 'postgres://nobody@127.0.0.1:1/none';

/** Shares Node.js's compile cache between the processes of the tests. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, '../node_modules/.cache/node');

const NEVER_DELAYED = join(import.meta.dirname, 'never-delayed.ts');

/**
 * Starts `node src/main.ts ARGS` with only the environment variables that it needs to run.
 *
 * @param said receives its output, in place of `output()`
 */
export function start(
  args: string[],
  environment: Record<string, string> = {},
  cwd = '.',
  said: number | 'pipe' = 'pipe',
): Running {
  const child = spawn(process.execPath, [LIFTOFF, '--import', NEVER_DELAYED, MAIN, ...args], {
    cwd,
    stdio: ['pipe', said, said],
    env: { ...inherited(), PORT: '0', NODE_COMPILE_CACHE, ...environment },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += text));
  child.stdin?.on('error', () => {}); // the process may end before it reads its input
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    output: () => output,
    kill: (signal) => child.kill(signal),
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
    feed: (input) => void child.stdin?.write(input),
    write: (input) => void child.stdin?.end(input),
    ended,
    async address() {
      for (;;) {
        const address = /listening at (http:\/\/[\d.:]+)/.exec(output)?.[1];
        if (address) return address;
        const waited = new Promise<string>((resolve) => setTimeout(resolve, 20, 'waiting'));
        if ((await Promise.race([ended, waited])) !== 'waiting') throw new Error(`It ended: ${output}`);
      }
    },
  };
}

/** A service that a test kills. `kill` starts it again. */
export async function startKillable(environment: Record<string, string>) {
  let running = start(['serve'], environment);
  await running.address();
  return {
    address: () => running.address(),
    stop: () => running.stop(),
    async kill() {
      running.kill('SIGKILL');
      await running.ended;
      running = start(['serve'], environment);
      await running.address();
    },
  };
}
