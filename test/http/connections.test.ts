// A connection may pipeline only so many requests.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { trackConnections } from '../../src/http/connections.ts';
import { listen } from '../cluster.ts';

const REQUEST = 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n';

/** A server that answers when the test says so, and counts its requests. */
async function answering() {
  const answers: (() => void)[] = [];
  const server = createServer();
  const connections = trackConnections(server);
  connections.serve((_request, response) => void answers.push(() => response.end('x')));
  let parsed = 0;
  server.on('request', () => parsed++);
  const port = await listen(server);
  onTestFinished(() => void server.close());
  return {
    answers,
    parsed: () => parsed,
    connections,
    async open(text: string) {
      const socket = connect(port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      let received = '';
      socket
        .on('error', () => {})
        .on('data', (bytes) => {
          received += bytes;
        });
      socket.write(text);
      return { socket, received: () => received };
    },
  };
}

it('sixteen pipelined requests are answered in order', async () => {
  const { answers, open } = await answering();
  const { received } = await open(REQUEST.repeat(16));
  await expect.poll(() => answers.length).toBe(16);
  for (const answer of answers.toReversed()) answer();
  await expect.poll(() => received().match(/200 OK/g)?.length).toBe(16);
});

it('a seventeenth breaks the connection, and none of the requests runs', async () => {
  const { answers, open, parsed } = await answering();
  const { socket, received } = await open(REQUEST.repeat(1000));
  await once(socket, 'close');
  expect(parsed(), 'src/http/internals/stop-parsing.ts does not stop the parser of this Node').toBe(17);
  expect(answers).toEqual([]);
  expect(received()).toBe('');
});

it('answered requests do not count, and an idle connection closes on request', async () => {
  const { answers, connections, open } = await answering();
  const { socket, received } = await open('');
  for (let n = 1; n <= 40; n++) {
    socket.write(REQUEST);
    await expect.poll(() => answers.length, { interval: 1 }).toBe(n);
    if (n === 20) connections.closeIdle();
    answers[n - 1]?.();
    await expect.poll(() => received().match(/200 OK/g)?.length, { interval: 1 }).toBe(n);
  }
  expect(socket.closed).toBe(false);
  const closed = once(socket, 'close');
  connections.closeIdle();
  await closed;
});
