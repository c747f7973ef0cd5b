// The connections of the server, and which of their requests are unanswered.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { stopParsing } from './internals/stop-parsing.ts';

/** More pipelined requests than this break a connection off. Browsers send none, HTTP libraries a few. */
const MAX_UNANSWERED = 16;

export type Connections = ReturnType<typeof trackConnections>;

interface Connection {
  readonly unanswered: Set<ServerResponse>;
  /** The request that was read last. */
  last?: IncomingMessage;
  /** Called when all is answered: what follows cannot be read. */
  onAnswered?: () => void;
}

/**
 * A connection is idle when its last answer is sent: Node counts it as idle from when the answer is made, and a large
 * one or a slow reader then loses its end.
 */
export function trackConnections(server: Server) {
  const connections = new Map<Socket, Connection>();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { unanswered: new Set() });
    socket.once('close', () => connections.delete(socket));
  });
  const track = (request: IncomingMessage, answer: ServerResponse): Connection | undefined => {
    const connection = connections.get(request.socket);
    if (!connection) return undefined;
    const { unanswered } = connection;
    connection.last = request;
    unanswered.add(answer);
    answer.once('close', () => {
      unanswered.delete(answer);
      if (unanswered.size === 0) connection.onAnswered?.();
    });
    return connection;
  };
  server.on('checkExpectation', track);
  return {
    /**
     * Hands the requests over, each after all that was read with it is parsed: of a connection that is broken off for
     * what it sent at once, none is handled.
     */
    serve: (handle: RequestListener): Server =>
      server.on('request', (request, answer) => {
        const { socket } = request;
        const connection = track(request, answer);
        if (connection && connection.unanswered.size > MAX_UNANSWERED) {
          stopParsing(socket);
          socket.destroy();
        }
        setImmediate(() => {
          if (!socket.destroyed) handle(request, answer);
        });
      }),
    /**
     * Calls `end` once for a connection whose bytes cannot be read any more, when all requests before them are
     * answered: answers go out in the order of their requests (RFC 9112, 9.3.2).
     *
     * @param end is told whether the bytes belong to a request that has its own answer: to its body
     */
    endUnreadable: (socket: Socket, end: (hasAnswer: boolean) => void): void => {
      const connection = connections.get(socket);
      if (!connection || connection.onAnswered) return; // more bytes that follow
      const hasAnswer = connection.last?.complete === false;
      connection.onAnswered = () => end(hasAnswer);
      if (connection.unanswered.size === 0) end(hasAnswer);
    },
    closeIdle: () => {
      for (const [socket, { unanswered }] of connections) if (unanswered.size === 0) socket.destroy();
    },
  };
}
