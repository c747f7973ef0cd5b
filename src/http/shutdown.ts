// Shutdown: announces that the service stops, finishes accepted requests, and closes.
import { setImmediate as iteration } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Connections } from './connections.ts';

declare module 'fastify' {
  interface FastifyInstance {
    shutdown: {
      readonly isStopping: boolean;
      /** From now on, answers have `connection: close`, and `health.ready` fails. The service still answers. */
      begin(): void;
    };
  }
}

/**
 * Makes `close()` finish when the last answer is sent. Fastify alone would also wait for keep-alive connections that
 * were busy when it was called.
 */
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
