// A client of pg whose server, whatever it sends and whenever it goes, fails only what was asked of it.
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { BROKEN_PROTOCOL } from './faults.ts';

/** What pg does with the bytes of a server, which its types leave out. */
interface Reads {
  attachListeners(stream: Duplex): void;
}

export class LastingClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    // for life, because pg-pool takes its own away while a client is lent; what runs fails by itself
    this.on('error', () => {});
    const connection = this.connection as typeof this.connection & Reads;
    const attach = connection.attachListeners.bind(connection);
    connection.attachListeners = (stream) => {
      attach(stream);
      guard(stream);
    };
  }
}

/** Breaks a connection off where pg throws over what it reads: nothing above the socket would catch that. */
function guard(stream: Duplex): void {
  for (const read of stream.listeners('data') as ((bytes: Buffer) => void)[])
    stream.off('data', read).on('data', (bytes: Buffer) => {
      try {
        read(bytes);
      } catch (cause) {
        stream.destroy(new Error(BROKEN_PROTOCOL, { cause }));
      }
    });
}
