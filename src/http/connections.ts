// The connections of the server, their unanswered requests, and how both end at shutdown.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as iteration } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { stopParsing } from './internals/stop-parsing.ts';

/** A connection with more pipelined requests is cut off. Browsers do not pipeline, and HTTP libraries only a little. */
const MAX_UNANSWERED = 16;

export type Connections = ReturnType<typeof trackConnections>;

interface Connection {
  readonly unanswered: Set<ServerResponse>;
  /** The last request read. */
  last?: IncomingMessage;
  /** Set after unreadable bytes. Called when all requests before them are answered. */
  onAnswered?: () => void;
}

/** A connection is idle once its last answer is sent. Node counts from the write, and would cut off slow readers. */
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
    /** Handles a request once all bytes of its read are parsed: of too many pipelined requests, none is handled. */
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
     * Calls `end` once for a connection with unreadable bytes, when all earlier requests are answered: answers keep the
     * order of their requests (RFC 9112, 9.3.2).
     *
     * @param end `hasAnswer` is true if the bytes are the body of a request, because that request has its own answer
     */
    endUnreadable: (socket: Socket, end: (hasAnswer: boolean) => void): void => {
      const connection = connections.get(socket);
      if (!connection || connection.onAnswered) return; // further unreadable bytes
      const hasAnswer = connection.last?.complete === false;
      connection.onAnswered = () => end(hasAnswer);
      if (connection.unanswered.size === 0) end(hasAnswer);
    },
    closeIdle: () => {
      for (const [socket, { unanswered }] of connections) if (unanswered.size === 0) socket.destroy();
    },
  };
}

declare module 'fastify' {
  interface FastifyInstance {
    shutdown: {
      readonly isStopping: boolean;
      /** From now on, answers have `connection: close`, and `health.ready` fails. The service still answers. */
      begin(): void;
    };
  }
}

/** `close()` ends with the last answer. Fastify alone would also wait for keep-alive connections that were busy. */
export function closeGracefully(app: FastifyInstance, { closeIdle }: Connections, onBegin: () => void): void {
  let isStopping = false;
  let isClosing = false;
  const begin = () => {
    isStopping = true;
    onBegin();
  };
  app.server.closeIdleConnections = closeIdle; // Fastify calls it when it closes
  app.addHook('preClose', async () => {
    begin();
    isClosing = true;
    for (let n = 0; n < 2; n++) await iteration(); // accepts requests that have arrived
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isStopping) reply.header('connection', 'close');
    done(null, payload);
  });
  app.addHook('onResponse', (_request, _reply, done) => {
    // its answer began earlier, without `connection: close`
    if (isClosing) setImmediate(closeIdle);
    done();
  });
  app.decorate('shutdown', {
    get isStopping() {
      return isStopping;
    },
    begin,
  });
}
