// The connections of the server, and which of their requests are unanswered.
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { stopParsing } from './internals/stop-parsing.ts';

/** More pipelined requests than this break a connection off. Browsers send none, HTTP libraries a few. */
const MAX_UNANSWERED = 16;

export interface Connections {
  /** Whether an answer has begun on a connection: a second head would land in its body. */
  isAnswering(socket: Socket): boolean;
  /** Closes those that wait for nothing. */
  closeIdle(): void;
}

/**
 * A connection is idle when its last answer is sent: Node counts it as idle from when the answer is made, and a large
 * one or a slow reader then loses its end.
 */
export function trackConnections(server: Server): Connections {
  const unanswered = new Map<Socket, Set<ServerResponse>>();
  server.on('connection', (socket: Socket) => {
    unanswered.set(socket, new Set());
    socket.once('close', () => unanswered.delete(socket));
  });
  server.on('request', ({ socket }, answer) => {
    const answers = unanswered.get(socket);
    if (!answers) return;
    answers.add(answer);
    answer.once('close', () => answers.delete(answer));
    if (answers.size <= MAX_UNANSWERED) return;
    stopParsing(socket);
    socket.destroy();
  });
  return {
    isAnswering: (socket) => {
      const [first] = unanswered.get(socket) ?? [];
      return first?.headersSent ?? false;
    },
    closeIdle: () => {
      for (const [socket, answers] of unanswered) if (answers.size === 0) socket.destroy();
    },
  };
}
