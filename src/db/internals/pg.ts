// The undocumented parts of pg that the service uses, each for a reason that a user would notice. Written for pg 8.23;
// test/db/internals.test.ts fails if pg moves one of them.
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { BROKEN_PROTOCOL } from '../faults.ts';

/**
 * A client whose server can fail only the current queries, whatever it sends and whenever it goes. Otherwise a FATAL
 * in the packet that makes the client ready, or noise, would end the process.
 *
 * Relies on `Client#connection` and its `stream`, and on `Connection#attachListeners(stream)`, which makes pg the only
 * reader of a stream.
 */
export class LastingClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    // for life: pg-pool removes its own listener while a client is lent; a running query fails by itself
    this.on('error', () => {});
    breakOffNoise(this.connection);
  }

  /** Closes the connection in any state: `end` would wait for a server that hangs. */
  breakOff(): void {
    this.connection.stream.destroy();
  }
}

/** Breaks off a connection if pg throws over received bytes: no other code can catch that. */
function breakOffNoise(connection: pg.Connection): void {
  if (!('attachListeners' in connection) || typeof connection.attachListeners !== 'function')
    throw new Error('pg no longer has Connection#attachListeners: see src/db/internals/pg.ts');
  const attach = connection.attachListeners.bind(connection);
  connection.attachListeners = (stream: Duplex) => {
    attach(stream);
    const [read, ...others] = stream.listeners('data');
    if (!read || others.length > 0)
      throw new Error(`A connection has ${stream.listenerCount('data')} readers, and must have one: pg`);
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
 * Runs a statement before a query, in the same transaction: behind PgBouncer, the settings of the query. Relies on
 * `Query#submit(connection)`, and on `parse`, `bind`, `execute` and `stream` of `Connection`.
 *
 * The transaction ends with the query. All messages are sent at once: PostgreSQL runs the messages up to the next
 * Sync as one transaction (its protocol, "Pipelining").
 *
 * @param statement returns no rows, so that the rows of the query come first
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
