// Stops what Node makes of bytes that have arrived already. Written for Node 24, whose sockets have a private parser.
import type { Socket } from 'node:net';

interface Parsed {
  /** Called with every request; 2 says that what follows is another protocol (llhttp, `on_headers_complete`). */
  readonly parser?: { onIncoming?: () => number } | null;
}

/**
 * Drops the requests that a connection has sent already. Without it a destroyed connection still makes a request of
 * each that is in the same 64 KiB: 50 of them took the event loop for 110 ms, and take 10 ms so.
 */
export function stopParsing(socket: Socket & Parsed): void {
  const { parser } = socket;
  if (parser?.onIncoming) parser.onIncoming = () => 2;
}
