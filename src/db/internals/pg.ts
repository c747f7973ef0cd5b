// What the service uses of pg that pg does not document, each for a reason that a user would notice. Written for pg 8.23;
// test/db/internals.test.ts fails if one of them moves.
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { BROKEN_PROTOCOL } from '../faults.ts';

/**
 * A client whose server, whatever it sends and whenever it goes, fails only what was asked of it: a FATAL in the packet
 * that makes it ready, or noise, would else end the process.
 *
 * Relies on `Client#connection` and its `stream`, and on `Connection#attachListeners(stream)`, which makes pg the only
 * reader of a stream.
 */
export class LastingClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    // for life, because pg-pool takes its own away while a client is lent; what runs fails by itself
    this.on('error', () => {});
    breakOffNoise(this.connection);
  }

  /** Closes the connection in any state: `end` would wait for a server that hangs. */
  breakOff(): void {
    this.connection.stream.destroy();
  }
}

/** Breaks a connection off if pg throws over what it reads: nothing above the socket would catch that. */
function breakOffNoise(connection: pg.Connection): void {
  if (!('attachListeners' in connection) || typeof connection.attachListeners !== 'function')
    throw new Error('pg has no Connection#attachListeners any more: see src/db/internals/pg.ts');
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
 * The key of a connection, by which a statement that nobody waits for is cancelled: the process that serves it, and its
 * secret. Relies on `Client#processID` and `Client#secretKey`, from PostgreSQL's message "BackendKeyData".
 *
 * @returns undefined if the connection is not open, or the server gave no key
 */
export function backendKeyOf(client: pg.ClientBase) {
  if (!('processID' in client && 'secretKey' in client)) return undefined;
  const { processID: processId, secretKey } = client;
  if (typeof processId !== 'number' || typeof secretKey !== 'number') return undefined;
  return { processId, secretKey };
}

/**
 * Runs a statement before a question, in the same transaction: behind PgBouncer, the settings of a query. Relies on
 * `Query#submit(connection)`, and on `parse`, `bind`, `execute` and `stream` of `Connection`.
 *
 * The transaction ends with the question. All of it is sent at once: messages up to the next Sync are one transaction
 * (PostgreSQL's protocol, "Pipelining").
 *
 * @param statement has no rows, so that those of the question come first
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
