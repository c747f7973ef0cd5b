// Which connections are idle, so that a service that closes breaks no answer off.
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Makes `closeIdleConnections` of a server spare those whose last answer is not sent yet: Node counts them as idle
 * from when the answer is made, and a large one or a slow reader then loses its end.
 */
export function spareUnsentAnswers(server: Server): void {
  const lastAnswers = new Map<Socket, ServerResponse | undefined>(); // of each connection: they are sent in order
  server.on('connection', (socket: Socket) => {
    lastAnswers.set(socket, undefined);
    socket.once('close', () => lastAnswers.delete(socket));
  });
  server.on('request', ({ socket }: { socket: Socket }, answer: ServerResponse) => {
    if (lastAnswers.has(socket)) lastAnswers.set(socket, answer);
  });
  server.closeIdleConnections = () => {
    for (const [socket, answer] of lastAnswers) if (answer?.closed ?? true) socket.destroy();
  };
}
