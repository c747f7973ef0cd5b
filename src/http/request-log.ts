// The log of requests: one line when each has ended, at a level by how it ended.
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';

/**
 * At `info` those that were refused or failed, at `debug` the others too. Probes and dashboards ask every second,
 * and a line costs a quarter of a small answer. problem.ts logs why a request failed.
 */
export class RequestLog extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const { statusCode } = reply;
    const level = error || statusCode >= 400 || statusCode === 207 ? 'info' : 'debug'; // 207: a part failed
    request.log[level](fields(request, reply, error), 'request completed');
  }

  override streamError(error: Error, request: FastifyRequest, reply: FastifyReply): void {
    const isGone = 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (isGone) request.log.info(fields(request, reply), 'the caller left before the end');
    else request.log.warn(fields(request, reply, error), 'the answer broke off');
  }
}

function fields(req: FastifyRequest, res: FastifyReply, err?: Error | null) {
  return { req, res, responseTime: res.elapsedTime, ...(err && { err }) };
}
