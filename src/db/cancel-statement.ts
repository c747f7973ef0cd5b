// Cancels the statement that a connection runs, from outside.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { backendKeyOf } from './internals/pg.ts';

/** How long the server may take to hear it. */
const PATIENCE_MS = 1000;

const CANCEL_REQUEST = 80877102;

/** How long after one cancel the next is sent, in milliseconds. */
const AGAIN_MS = [20, 100, 500];

/**
 * Cancels until the statement is over, a few times at most: the server takes a statement in several messages, and
 * forgets a cancel between two of them. One that comes while it plans has no effect on what it then runs.
 *
 * @param over settles when the statement is over
 * @returns when the connection may be used again
 */
export async function cancelStatement(client: pg.Client, over: Promise<unknown>): Promise<void> {
  const isOver = Promise.allSettled([over]).then(() => true);
  for (const wait of AGAIN_MS) {
    await cancelOnce(client);
    if (await Promise.race([isOver, sleep(wait, false, { ref: false })])) return;
  }
  await cancelOnce(client);
}

/**
 * Sends PostgreSQL's CancelRequest, on a connection of its own: the pool may have none free. The server takes it
 * without a login and without TLS, and a pooler passes it on.
 *
 * @returns when the server has heard it, or cannot be told
 */
function cancelOnce(client: pg.Client): Promise<void> {
  const { host, port } = client;
  const key = backendKeyOf(client);
  if (!key?.processId) return Promise.resolve(); // a server that gave no key cannot be told
  const packet = Buffer.alloc(16);
  [packet.length, CANCEL_REQUEST, key.processId, key.secretKey].forEach((value, i) => {
    packet.writeInt32BE(value, i * 4);
  });
  return new Promise((resolve) => {
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    socket.setTimeout(PATIENCE_MS, () => socket.destroy());
    socket.on('error', () => {}); // a server that is gone runs nothing
    socket.on('close', () => resolve());
    socket.resume().write(packet); // the server closes the connection when it has signalled the backend
  });
}
