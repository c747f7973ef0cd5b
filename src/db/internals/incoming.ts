// What a server sends: read by pg, or by another in its place for a while.
//
// Relies on pg 8.23: `Connection#attachListeners(stream)` makes pg read a stream, as its only listener for data.
import type { Duplex } from 'node:stream';
import type pg from 'pg';
import { BROKEN_PROTOCOL } from '../faults.ts';

type Read = (bytes: Buffer) => void;

export interface Incoming {
  readonly toPg: Read;
  /** Gets all that comes. */
  read: Read;
}

const incoming = new WeakMap<Duplex, Incoming>();

/** @throws where {@link takeIncoming} was not called for the connection of this stream */
export function incomingOf(stream: Duplex): Incoming {
  const found = incoming.get(stream);
  if (!found) throw new Error('The connection is not that of a LastingClient');
  return found;
}

/**
 * Stands between a connection and pg, for life. Breaks it off where pg throws over what it reads: nothing above the
 * socket would catch that.
 *
 * @throws where pg does not read its connections as it used to
 */
export function takeIncoming(connection: pg.Connection): void {
  if (!('attachListeners' in connection) || typeof connection.attachListeners !== 'function')
    throw new Error('pg has no Connection#attachListeners any more: see src/db/internals/incoming.ts');
  const attach = connection.attachListeners.bind(connection);
  connection.attachListeners = (stream: Duplex) => {
    attach(stream);
    const [toPg, ...others] = stream.listeners('data');
    if (!toPg || others.length > 0)
      throw new Error(`A connection has ${stream.listenerCount('data')} readers, and must have one: pg`);
    const own: Incoming = { toPg: (bytes) => toPg(bytes), read: (bytes) => toPg(bytes) };
    incoming.set(stream, own);
    stream.removeAllListeners('data').on('data', (bytes: Buffer) => {
      try {
        own.read(bytes);
      } catch (cause) {
        stream.destroy(new Error(BROKEN_PROTOCOL, { cause }));
      }
    });
  };
}
