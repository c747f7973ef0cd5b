// A client of pg whose server, whatever it sends and whenever it goes, fails only what was asked of it.
//
// Relies on pg 8.23: `Client#connection` and its `stream`, which pg types but does not document.
import pg from 'pg';
import { takeIncoming } from './incoming.ts';

export class LastingClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    // for life, because pg-pool takes its own away while a client is lent; what runs fails by itself
    this.on('error', () => {});
    takeIncoming(this.connection);
  }

  /** Closes the connection in any state: `end` would wait for a server that hangs. */
  breakOff(): void {
    this.connection.stream.destroy();
  }
}
