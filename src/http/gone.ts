// When a caller goes away, the work for it may end.
import type { FastifyReply } from 'fastify';

/** @returns a signal that aborts where the connection closes before the answer is out */
export function signalOf(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  // it closes after every answer, and to abort makes an error with a stack: a twentieth of a small answer
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}
