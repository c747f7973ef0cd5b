// What is logged of requests: one line when each has ended, at a level by how it ended.
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';

/**
 * At `info` those that were refused or failed. At `debug` the others too: probes and dashboards ask every
 * second, and to log them would cost a quarter of a small answer. problem.ts logs why a request failed.
 */
export class RequestLog extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const level = error || reply.statusCode >= 400 ? 'info' : 'debug';
    request.log[level](
      { req: request, res: reply, responseTime: reply.elapsedTime, ...(error && { err: error }) },
      'request completed',
    );
  }
}
