// Which connections are idle, so that a service that closes breaks no answer off.
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Makes `closeIdleConnections` of a server spare those whose last answer is not sent yet: Node counts them as idle
 * from when the answer is made, and a large one or a slow reader then loses its end.
 */
export function spareUnsentAnswers(server: Server): void {
  const connections = new Map<Socket, number>(); // the answers that each is owed
  server.on('connection', (socket: Socket) => {
    connections.set(socket, 0);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', ({ socket }: { socket: Socket }, answer: ServerResponse) => {
    const owe = (more: number) => {
      const owed = connections.get(socket);
      if (owed !== undefined) connections.set(socket, owed + more);
    };
    owe(1);
    answer.once('close', () => owe(-1));
  });
  server.closeIdleConnections = () => {
    for (const [socket, owed] of connections) if (owed === 0) socket.destroy();
  };
}
