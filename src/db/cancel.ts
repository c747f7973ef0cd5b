// Cancels the statement that a connection runs, from outside.
import { connect } from 'node:net';
import type pg from 'pg';

/** How long the server may take to hear it. */
const PATIENCE_MS = 1000;

const CANCEL_REQUEST = 80877102;

/**
 * Sends PostgreSQL's CancelRequest, on a connection of its own: the pool may have none free. The server takes it
 * without a login and without TLS, and a pooler passes it on.
 *
 * @returns when the server has heard it, or cannot be told. The connection may be used again after that.
 */
export function cancelStatement(client: pg.Client): Promise<void> {
  const { host, port, processID, secretKey } = client as pg.Client & {
    processID: number | null;
    secretKey: number;
  };
  if (!processID) return Promise.resolve(); // a server that gave no key cannot be told
  const packet = Buffer.alloc(16);
  [packet.length, CANCEL_REQUEST, processID, secretKey].forEach((value, i) => {
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
