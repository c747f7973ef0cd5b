// The connections of the server, and which of their requests are unanswered.
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { stopParsing } from './internals/stop-parsing.ts';

/** More pipelined requests than this break a connection off. Browsers send none, HTTP libraries a few. */
const MAX_UNANSWERED = 16;

export type Connections = ReturnType<typeof trackConnections>;

/**
 * A connection is idle when its last answer is sent: Node counts it as idle from when the answer is made, and a large
 * one or a slow reader then loses its end.
 */
export function trackConnections(server: Server) {
  const unanswered = new Map<Socket, Set<ServerResponse>>();
  server.on('connection', (socket: Socket) => {
    unanswered.set(socket, new Set());
    socket.once('close', () => unanswered.delete(socket));
  });
  const isTooMuch = (socket: Socket, answer: ServerResponse) => {
    const answers = unanswered.get(socket);
    if (!answers) return false;
    answers.add(answer);
    answer.once('close', () => answers.delete(answer));
    return answers.size > MAX_UNANSWERED;
  };
  return {
    /**
     * Hands the requests over, each after all that was read with it is parsed: of a connection that is broken off for
     * what it sent at once, none is handled.
     */
    serve: (handle: RequestListener): Server =>
      server.on('request', (request, answer) => {
        const { socket } = request;
        if (isTooMuch(socket, answer)) {
          stopParsing(socket);
          socket.destroy();
        }
        setImmediate(() => {
          if (!socket.destroyed) handle(request, answer);
        });
      }),
    /** Whether an answer has begun on a connection: a second head would land in its body. */
    isAnswering: (socket: Socket): boolean => {
      const [first] = unanswered.get(socket) ?? [];
      return first?.headersSent ?? false;
    },
    /** Closes those that wait for nothing. */
    closeIdle: () => {
      for (const [socket, answers] of unanswered) if (answers.size === 0) socket.destroy();
    },
  };
}
