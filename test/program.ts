// Finds programs on this machine, and runs each in its own folder with its configuration in `deploy`.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, chownSync, constants, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { buffer } from 'node:stream/consumers';

/** Debian's folder of servers, which the PATH of a user may lack. */
const SBIN = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** @returns a program in the folder PROGRAMS_BIN, or else on the PATH; undefined if there is none */
export function findProgram(name: string): string | undefined {
  const { PATH = '', PROGRAMS_BIN } = process.env;
  const folders = [...(PROGRAMS_BIN ? [PROGRAMS_BIN] : []), ...PATH.split(delimiter), ...SBIN];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @returns the first of these programs that runs without an error, or undefined */
export const firstThatRuns = (...commands: readonly (readonly string[])[]): string | undefined =>
  commands.find(([program = '', ...args]) => spawnSync(program, args).status === 0)?.[0];

/**
 * A configuration file of `deploy/ha` with other names, ports and folders.
 *
 * @throws if it lacks a text to replace
 */
export function configuration(file: string, replacements: Readonly<Record<string, string>>): string {
  let text = readFileSync(new URL(`../deploy/ha/${file}`, import.meta.url), 'utf8');
  for (const [name, value] of Object.entries(replacements)) {
    if (!text.includes(name)) throw new Error(`${file} has no ${name}`);
    text = text.replaceAll(name, value);
  }
  return text;
}

export interface Folder {
  readonly path: string;
  /** Options for `spawn`. If this process is root, they name the user `postgres`, who then owns the folder. */
  readonly as: { uid?: number; gid?: number; cwd: string };
  remove(): void;
}

/** A folder for programs that should not run as root, or refuse to, as PostgreSQL does. */
export function ownFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'audio-metrics-'));
  const clear = () => rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  process.once('exit', clear); // also when the run is interrupted
  const remove = () => {
    process.off('exit', clear);
    clear();
  };
  if (process.getuid?.() !== 0) return { path, as: { cwd: path }, remove };
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  const [uid, gid] = [id('-u'), id('-g')];
  chownSync(path, uid, gid);
  return { path, as: { uid, gid, cwd: path }, remove };
}

/** The variables that every child process gets: PATH, the time zone, and the clock of `at-hours.sh`. */
export function inherited(): Record<string, string> {
  const isInherited = ([name]: readonly [string, string]) => /^(PATH|TZ|LD_PRELOAD|FAKETIME.*)$/.test(name);
  const set = Object.entries(process.env).flatMap(([name, value = '']) => [[name, value] as const]);
  return Object.fromEntries(set.filter(isInherited));
}

/** Runs a program with only a few variables from this process's environment, and waits for its end. */
export async function run(
  [program = '', ...args]: readonly string[],
  { cwd = '.', env, input }: { cwd?: string | URL; env?: Record<string, string>; input?: string } = {},
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const child = spawn(program, args, { cwd, env: { ...inherited(), ...env } });
  child.stdin.end(input);
  const [stdout, stderr, status] = await Promise.all([
    buffer(child.stdout),
    buffer(child.stderr),
    new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve)),
  ]);
  return { status, stdout: `${stdout}`, stderr: `${stderr}` };
}

export interface Program {
  readonly pid: number;
  /** The end of its output. */
  output(): string;
  isRunning(): boolean;
  /** Sends a signal, and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

/**
 * Starts a program, and ends it with this process.
 *
 * @param options.last the signal that ends it with this process; SIGTERM if it must end child processes
 */
export function startProgram(
  path: string,
  args: readonly string[],
  options: { as: Folder['as']; env?: Record<string, string>; last?: NodeJS.Signals },
): Program {
  const child: ChildProcess = spawn(path, args, {
    ...options.as,
    env: { ...inherited(), LC_ALL: 'C.UTF-8', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text) => {
      output = `${output}${text}`.slice(-20_000);
    });
  const kill = () => child.kill(options.last ?? 'SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  child.once('error', (error) => {
    output += error.message;
  });
  const isRunning = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    pid: child.pid ?? 0,
    output: () => output,
    isRunning,
    async end(signal = 'SIGTERM') {
      if (!isRunning()) return;
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    },
  };
}
