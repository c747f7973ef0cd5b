// Sends requests at a fixed rate during a fault or a flood, from a separate process that the measurement does not slow
// down.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type Interval, within } from '../points-table.ts';
import type { Sample } from './samples.ts';

/** A request and how often to send it per second. */
export interface Probe {
  readonly path: string;
  readonly perSecond: number;
}

const script = (name: string) => new URL(`./${name}.ts`, import.meta.url);

/** Runs a script of this folder in a separate process. `stop` ends it and returns its results. */
export function startScript<T>(name: string, args: readonly string[]): { stop(): Promise<T> } {
  const child: ChildProcess = fork(script(name), args, { execArgv: [] });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill); // even if the measurement is interrupted
  const found = once(child, 'message');
  const ended = once(child, 'exit').then(([code]) => {
    process.off('exit', kill);
    throw new Error(`${name} ended with ${code}`);
  });
  ended.catch(() => {});
  return {
    async stop() {
      child.send('stop');
      const [result] = await Promise.race([found, ended]);
      return result as T;
    },
  };
}

/** Sends each probe at its rate while `work` runs. */
export async function probeWhile<T>(
  url: string,
  probes: readonly Probe[],
  work: () => Promise<T>,
): Promise<{ samples: Sample[][]; result: T }> {
  const probe = startScript<Sample[][]>('fixed-rate-client', [url, JSON.stringify(probes)]);
  const result = await work();
  return { samples: await probe.stop(), result };
}

export const LATEST: Probe = { path: '/api/v1/audio/latest', perSecond: 40 };
export const LIVE: Probe = { path: '/api/v1/health/live', perSecond: 20 };

/** The heavy request that a flood queues and an honest caller also sends. */
export const queuedPath = (all: Interval) =>
  `/api/v1/stats/quality?${new URLSearchParams({ ...within(all, 0, 600_000) })}`;
