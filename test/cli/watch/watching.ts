// `npm run watch` in this process, points for it, and a receiver of its webhooks.
import { createServer } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { strictly } from '../../../src/cli/command-line.ts';
import { type WatchIo, watchCommand } from '../../../src/cli/watch/watch-command.ts';
import { instantOf } from '../../../src/contract/instant.ts';
import { listen } from '../../cluster.ts';
import { temporaryFolder } from '../../process.ts';
import type { TestService } from '../../service.ts';

/** A line about a failure of a receiver or of the search. */
export const FAILURE = / waits: |cannot be/;

/** Stores points of one level, one every 20 ms. @param age how many seconds ago the last one is */
export function storeLevel({ sql }: Pick<TestService, 'sql'>, level: number, count: number, age = 0) {
  const last = new Date(Date.now() - age * 1000).toISOString();
  return sql(`insert into audio_data select time, ${level}, 440, false from generate_series(
    '${last}'::timestamptz - interval '${(count - 1) * 20} ms', '${last}', interval '20 ms') as time`);
}

/** Runs the command in this process, until the test ends it or finishes. */
export function start(args: string[], io: Partial<WatchIo> = {}) {
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const written: string[] = [];
  const said: string[] = [];
  const command = strictly(
    watchCommand(() => ({
      isTerminal: false,
      folder: join(temporaryFolder(), 'notify'),
      write: (text) => written.push(text),
      say: (line) => said.push(line),
      note: () => {},
      now: () => instantOf(Date.now()),
      signal: ending.signal,
      ...io,
    })),
  );
  return { run: command.parseAsync(args, { from: 'user' }), written, said, end: () => ending.abort() };
}

/** A webhook receiver. @param answers its statuses, then 200; or a function that returns the next status */
export async function startHook(answers: number[] | (() => number)) {
  const taken: { body: string; status: number }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const status = typeof answers === 'function' ? answers() : (answers.shift() ?? 200);
    taken.push({ body, status });
    response.writeHead(status).end();
  });
  onTestFinished(() => server.closeAllConnections());
  const port = await listen(server);
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${port}/hook`, taken };
}
