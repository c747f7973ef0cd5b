// Starts, watches and ends the measured processes. None outlives this process.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import packageJson from '../package.json' with { type: 'json' };
import { freePort } from '../test/cluster.ts';

export interface Child extends AsyncDisposable {
  /** Such as `http://127.0.0.1:3000`. */
  readonly url: string;
  readonly pid: number;
  /** False once it has ended. */
  isRunning(): boolean;
  /** Resident memory, in MB. */
  memory(): number;
  /** CPU time used so far, in milliseconds. */
  cpuMs(): number;
}

/** Starts the service on a database, as `npm start` does. `folder` is the checkout of another version. */
export function startService(
  database: string,
  environment: Record<string, string> = {},
  folder?: string,
): Promise<Child> {
  const [, ...args] = packageJson.scripts.start.split(' ');
  return startNode(args, { DATABASE_URL: database, LOG_LEVEL: 'error', ...environment }, folder);
}

/** Starts the hand-written routes. */
export function startBaseline(database: string): Promise<Child> {
  return startNode(['bench/baseline.ts'], { DATABASE_URL: database });
}

async function startNode(
  args: readonly string[],
  environment: Record<string, string>,
  cwd?: string,
): Promise<Child> {
  const { PORT } = environment;
  const port = PORT === undefined ? await freePort() : Number(PORT);
  const url = `http://127.0.0.1:${port}`;
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, args, {
    env: { PATH, PORT: String(port), ...environment },
    stdio: ['ignore', 'inherit', 'inherit'],
    ...(cwd && { cwd }),
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill); // even if the measurement is interrupted
  const pid = String(child.pid);
  const running: Child = {
    url,
    pid: child.pid ?? 0,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    memory: () => memoryOf(pid),
    cpuMs: () => cpuMsOf(pid),
    async [Symbol.asyncDispose]() {
      const runs = child.exitCode === null && child.signalCode === null;
      if (runs && child.kill('SIGTERM')) await once(child, 'exit');
      process.off('exit', kill);
    },
  };
  for (let attempt = 0; attempt < 600 && child.exitCode === null; attempt++) {
    const answers = fetch(`${url}/api/v1/audio/latest`).then(({ ok, status }) => ok || status === 401);
    if (await answers.catch(() => false)) return running;
    await sleep(100);
  }
  await running[Symbol.asyncDispose]();
  throw new Error(`It did not start: node ${args.join(' ')}`);
}

/** Runs `work`, and samples the memory of a process every `everyMs`. Returns the peak, in MB. */
export async function watchMemory<T>(
  child: Child,
  everyMs: number,
  work: () => Promise<T>,
): Promise<{ peak: number; result: T }> {
  let peak = child.memory();
  const timer = setInterval(() => {
    peak = Math.max(peak, child.memory());
  }, everyMs);
  try {
    const result = await work();
    return { peak, result };
  } finally {
    clearInterval(timer);
  }
}

const isLinux = process.platform === 'linux';

function memoryOf(pid: string): number {
  const kilobytes = isLinux
    ? /VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    : ps('rss', pid);
  return Number(kilobytes) / 1024;
}

/** CPU time used so far, in milliseconds. */
export function cpuMsOf(pid: string): number {
  if (!isLinux)
    return ps('time', pid)
      .split(':')
      .reduce((sum, part) => sum * 60 + Number(part) * 1000, 0);
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10; // user and system, in ticks of 10 ms
}

/** One column of `ps`, for systems without /proc. */
function ps(column: string, pid: string): string {
  return execFileSync('ps', ['-o', `${column}=`, '-p', pid], { encoding: 'utf8' }).trim();
}
