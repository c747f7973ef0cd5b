// A process that sends requests at a fixed rate without waiting for answers, and records how each request ended.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, openConnection } from '../connection.ts';
import type { Probe } from './probe.ts';
import type { Sample } from './samples.ts';

/** A request without an answer after this time counts as broken. */
const GIVE_UP_MS = 15_000;

const [url = '', probes = '[]'] = process.argv.slice(2);
let stopped = false;
process.once('message', () => {
  stopped = true;
});
const results = await Promise.all((JSON.parse(probes) as Probe[]).map(sendAtRate));
process.send?.(results, () => process.exit());

async function sendAtRate({ path, perSecond }: Probe): Promise<Sample[]> {
  const samples: Sample[] = [];
  const idle: Connection[] = [];
  const running = new Set<Promise<void>>();
  const begin = performance.now();
  for (let n = 0; !stopped; n++) {
    const due = begin + (n * 1000) / perSecond;
    await sleep(Math.max(0, due - performance.now()));
    const one = send(due).finally(() => running.delete(one));
    running.add(one);
  }
  await Promise.all(running);
  return samples;

  async function send(due: number): Promise<void> {
    const connection = idle.pop() ?? openConnection(url);
    const giveUp = setTimeout(connection.close, GIVE_UP_MS);
    const status = await connection.get(path).then(
      (answer) => answer.status,
      () => 0,
    );
    clearTimeout(giveUp);
    samples.push({ at: performance.timeOrigin + due, tookMs: performance.now() - due, status });
    idle.push(connection);
  }
}
