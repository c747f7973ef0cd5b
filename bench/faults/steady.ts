// A process that asks at a fixed rate, whether answers come or not, and writes down how each request ended.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, openConnection } from '../connection.ts';
import type { Asked } from './asked.ts';
import type { Question } from './probe.ts';

/** After this long a caller gives up. */
const PATIENCE_MS = 15_000;

const [url = '', questions = '[]'] = process.argv.slice(2);
let stopped = false;
process.once('message', () => {
  stopped = true;
});
const results = await Promise.all((JSON.parse(questions) as Question[]).map(askSteadily));
process.send?.(results, () => process.exit());

async function askSteadily({ path, perSecond }: Question): Promise<Asked[]> {
  const asked: Asked[] = [];
  const idle: Connection[] = [];
  const running = new Set<Promise<void>>();
  const begin = performance.now();
  for (let n = 0; !stopped; n++) {
    const due = begin + (n * 1000) / perSecond;
    await sleep(Math.max(0, due - performance.now()));
    const one = ask(due).finally(() => running.delete(one));
    running.add(one);
  }
  await Promise.all(running);
  return asked;

  async function ask(due: number): Promise<void> {
    const connection = idle.pop() ?? openConnection(url);
    const giveUp = setTimeout(connection.close, PATIENCE_MS);
    const status = await connection.get(path).then(
      (answer) => answer.status,
      () => 0,
    );
    clearTimeout(giveUp);
    asked.push({ at: performance.timeOrigin + due, tookMs: performance.now() - due, status });
    idle.push(connection);
  }
}
