// Runs clients that poll the service, each on its own keep-alive connection.
import { setTimeout as sleep } from 'node:timers/promises';
import { openConnection } from './connection.ts';

/** The result of a run, with the latencies that the clients saw. */
export interface Polled {
  readonly answers: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Requests without a complete answer of status 200 and the right length. */
  readonly errors: number;
  readonly firstError: string | undefined;
}

export interface Polling {
  readonly clients: number;
  readonly seconds: number;
  /** The time between two requests of a client; 0 sends the next request right after each answer. */
  readonly everyMs: number;
  /** The service, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** The path that the client of this number requests. */
  readonly path: (client: number) => string;
  readonly headers?: (client: number) => Readonly<Record<string, string>>;
  /** The right length of the answer in bytes, if known. */
  readonly length?: (client: number) => number | undefined;
}

/** Runs the clients, with their requests evenly spread over `everyMs`. */
export async function poll({
  clients,
  seconds,
  everyMs,
  url,
  path,
  headers,
  length,
}: Polling): Promise<Polled> {
  const latencies: number[] = [];
  let errors = 0;
  let firstError: string | undefined;
  const start = performance.now();
  const end = start + seconds * 1000;

  async function client(number: number): Promise<void> {
    const connection = openConnection(url, headers?.(number));
    let due = start + (everyMs * number) / clients;
    while (due < end) {
      if (everyMs > 0) await sleep(Math.max(0, due - performance.now()));
      const sent = performance.now();
      try {
        const answer = await connection.get(path(number));
        const expected = length?.(number) ?? answer.length;
        if (answer.status !== 200 || answer.length !== expected)
          throw new Error(`${answer.status}, ${answer.length} bytes: ${answer.opening}`);
        latencies.push(performance.now() - sent);
      } catch (error) {
        errors++;
        firstError ??= error instanceof Error ? error.message : String(error);
      }
      due = everyMs === 0 ? performance.now() : due + everyMs;
    }
    connection.close();
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

/** The first error of the runs, as the note of a figure; {} if there was none. */
export function noteOf(...runs: Polled[]): { note?: string } {
  const { firstError } = runs.find((run) => run.firstError !== undefined) ?? {};
  return firstError === undefined ? {} : { note: firstError };
}
