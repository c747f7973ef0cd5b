// Clients of the service, each with a connection of its own that it keeps.
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a run of pollers met. Milliseconds as each client saw them. */
export interface Polled {
  readonly answers: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** What was not a whole answer with status 200; the first of them says what. */
  readonly errors: number;
  readonly firstError: string | undefined;
}

export interface Polling {
  readonly clients: number;
  readonly seconds: number;
  /** How long each waits from asking to asking again; 0 asks as soon as it is answered. */
  readonly everyMs: number;
  /** What the client with a number asks for. */
  readonly url: (client: number) => string;
}

/** Lets the clients poll, evenly spread over the interval. */
export async function poll({ clients, seconds, everyMs, url }: Polling): Promise<Polled> {
  const latencies: number[] = [];
  let errors = 0;
  let firstError: string | undefined;
  const start = performance.now();
  const end = start + seconds * 1000;

  async function client(number: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let due = start + (everyMs * number) / clients;
    while (due < end) {
      await sleep(Math.max(0, due - performance.now()));
      const asked = performance.now();
      try {
        await ask(url(number), agent);
        latencies.push(performance.now() - asked);
      } catch (error) {
        errors++;
        firstError ??= error instanceof Error ? error.message : String(error);
      }
      due = everyMs === 0 ? performance.now() : due + everyMs;
    }
    agent.destroy();
  }

  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  const took = (performance.now() - start) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.ceil(latencies.length * share) - 1] ?? Number.NaN;
  return {
    answers: latencies.length,
    perSecond: latencies.length / took,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    errors,
    firstError,
  };
}

/** Rejects unless the answer is 200, arrives whole, and is JSON from its first to its last character. */
function ask(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece) => pieces.push(piece));
      answer.on('error', reject);
      answer.on('end', () => {
        const body = Buffer.concat(pieces);
        const whole =
          body[0] === 123 && body.at(-1) === 125 && Number(answer.headers['content-length']) === body.length;
        if (answer.statusCode === 200 && whole) resolve();
        else reject(new Error(`${answer.statusCode} ${body.subarray(0, 200)}`));
      });
    }).on('error', reject);
  });
}

/** The first error that any of the runs met. */
export function noteOf(...runs: Polled[]): { note?: string } {
  const { firstError } = runs.find((run) => run.firstError !== undefined) ?? {};
  return firstError === undefined ? {} : { note: firstError };
}
