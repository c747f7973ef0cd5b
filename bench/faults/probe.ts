// Asks beside a fault or a flood, from a process of its own: what slows this one does not count.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type Interval, within } from '../table.ts';
import type { Asked } from './asked.ts';

export interface Question {
  readonly path: string;
  readonly perSecond: number;
}

const script = (name: string) => new URL(`./${name}.ts`, import.meta.url);

/** Starts a process that runs one of the scripts here until it is told to stop, and then gives what it found. */
export function startScript<T>(name: string, args: readonly string[]): { stop(): Promise<T> } {
  const child: ChildProcess = fork(script(name), args, { execArgv: [] });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill); // also when the measurement is interrupted
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

/** Asks each question at its rate while `work` runs. */
export async function probeWhile<T>(
  url: string,
  questions: readonly Question[],
  work: () => Promise<T>,
): Promise<{ asked: Asked[][]; result: T }> {
  const probe = startScript<Asked[][]>('steady', [url, JSON.stringify(questions)]);
  const result = await work();
  return { asked: await probe.stop(), result };
}

export const LATEST: Question = { path: '/api/v1/audio/latest', perSecond: 40 };
export const LIVE: Question = { path: '/api/v1/health/live', perSecond: 20 };

/** A heavy question that one flood queues, and an honest caller asks too. */
export const queuedPath = (all: Interval) =>
  `/api/v1/stats/quality?${new URLSearchParams({ ...within(all, 0, 600_000) })}`;
