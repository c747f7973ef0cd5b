// The undocumented APIs of pg that the service uses, each for a reason that a user would notice. Written for pg 8.23;
// test/database/internals.test.ts fails if pg moves one of them.
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { BROKEN_PROTOCOL } from '../faults.ts';

/**
 * A client that fails its current queries, but not the process, whatever the server sends. With pg's own client,
 * invalid bytes, or a FATAL in the packet that makes the client ready, would end the process.
 *
 * Relies on `Client#connection` and its `stream`, and on `Connection#attachListeners(stream)`, which makes pg the only
 * reader of a stream.
 */
export class LastingClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    // kept for life, because pg-pool removes its own listener while it lends a client; running queries fail anyway
    this.on('error', () => {});
    breakOffNoise(this.connection);
  }

  /** Closes the connection in any state: `end` would wait for a server that hangs. */
  breakOff(): void {
    this.connection.stream.destroy();
  }
}

/** Breaks off a connection if pg throws on received bytes: no other code can catch that error. */
function breakOffNoise(connection: pg.Connection): void {
  if (!('attachListeners' in connection) || typeof connection.attachListeners !== 'function')
    throw new Error('pg no longer has Connection#attachListeners: see src/database/internals/pg.ts');
  const attach = connection.attachListeners.bind(connection);
  connection.attachListeners = (stream: Duplex) => {
    attach(stream);
    const [read, ...others] = stream.listeners('data');
    if (!read || others.length > 0)
      throw new Error(`A connection has ${stream.listenerCount('data')} readers, but must have only pg`);
    stream.removeAllListeners('data').on('data', (bytes: Buffer) => {
      try {
        read(bytes);
      } catch (cause) {
        stream.destroy(new Error(BROKEN_PROTOCOL, { cause }));
      }
    });
  };
}

/**
 * The process id and secret of a connection, which a cancel request needs. Relies on `Client#processID` and
 * `Client#secretKey`, from PostgreSQL's message "BackendKeyData".
 *
 * @returns undefined if the connection is not open, or the server sent no key
 */
export function backendKeyOf(client: pg.ClientBase) {
  if (!('processID' in client && 'secretKey' in client)) return undefined;
  const { processID: processId, secretKey } = client;
  if (typeof processId !== 'number' || typeof secretKey !== 'number') return undefined;
  return { processId, secretKey };
}

/**
 * Runs a statement before a query in the same transaction, to apply settings behind PgBouncer. Relies on
 * `Query#submit(connection)`, and on `parse`, `bind`, `execute` and `stream` of `Connection`.
 *
 * The transaction ends with the query. All messages are sent at once: PostgreSQL runs the messages up to the next
 * Sync as one transaction (its protocol, "Pipelining").
 *
 * @param statement must return no rows, so that the query's rows come first
 */
export function runBefore(statement: string, query: pg.Query): pg.Query {
  const submit = query.submit.bind(query);
  query.submit = (connection: pg.Connection) => {
    connection.stream.cork();
    connection.parse({ name: '', text: statement, types: [] }, true);
    connection.bind({ statement: '', values: [] }, true);
    connection.execute({}, true);
    submit(connection);
    connection.stream.uncork();
  };
  return query;
}
