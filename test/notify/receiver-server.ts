// An HTTP receiver that keeps its requests, and a message for it.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { EXAMPLE_MESSAGES, type Message } from '../../src/contract/messages.ts';
import { listen } from '../cluster.ts';

interface Taken {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** @param answer a status, or a function that answers once the request has been read */
export async function startReceiver(answer: number | ((response: ServerResponse) => void) = 200) {
  const taken: Taken[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += piece;
    taken.push({ path: request.url ?? '', headers: request.headers, body });
    if (typeof answer === 'number') response.writeHead(answer, { location: '/elsewhere' }).end();
    else answer(response);
  });
  onTestFinished(() => server.closeAllConnections());
  const port = await listen(server);
  onTestFinished(() => void server.close());
  return { host: `127.0.0.1:${port}`, taken };
}

export const NEVER = new AbortController().signal;

export const MESSAGE: Message = {
  ...EXAMPLE_MESSAGES.end,
  title: 'Lärm 02:10–02:14',
  text: 'Übungsraum: 4 min lang 58 dB(A), 315 Hz',
};
