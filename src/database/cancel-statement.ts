// Cancels a connection's running statement, from another connection.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { backendKeyOf } from './internals/pg.ts';

/** How long the server may take to accept a cancel request. */
const PATIENCE_MS = 1000;

const CANCEL_REQUEST = 80877102;

/** The waits between repeated cancel requests, in milliseconds. */
const AGAIN_MS = [20, 100, 500];

/**
 * Repeats the cancel request until the statement ends: the server forgets a request that arrives between two messages
 * of the statement, and one that arrives during planning does not stop the execution.
 *
 * @param over settles when the statement ends
 * @returns a promise that resolves when the connection can be used again
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
 * Sends PostgreSQL's CancelRequest on a new connection, since the pool may have none free. The server accepts it
 * without login or TLS, and a pooler passes it on.
 *
 * @returns a promise that resolves when the server has received the request, or is unreachable
 */
function cancelOnce(client: pg.Client): Promise<void> {
  const { host, port } = client;
  const key = backendKeyOf(client);
  if (!key?.processId) return Promise.resolve(); // without a key there is no way to cancel
  const packet = Buffer.alloc(16);
  [packet.length, CANCEL_REQUEST, key.processId, key.secretKey].forEach((value, i) => {
    packet.writeInt32BE(value, i * 4);
  });
  return new Promise((resolve) => {
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    socket.setTimeout(PATIENCE_MS, () => socket.destroy());
    socket.on('error', () => {}); // a server that is down runs no statement
    socket.on('close', () => resolve());
    socket.resume().write(packet); // the server closes the connection after it has signalled the backend
  });
}
