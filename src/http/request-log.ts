// The log of requests: one line when each has ended, at a level by how it ended.
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';

/** At `info` those that were refused or failed, for problem.ts to say why; at `debug` the others too. */
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

const MAX_ADDRESS = 1024;
const MAX_HOST = 255;

/** What a caller may have put into an address by mistake: its name, or what stands before an `@`, tells. */
const PARAMETER = /([?&])([^?&=]*)=([^&]*)/g;
const SECRET = /key|token|secret|passw|auth|signature|credential|session/i;
const KEY = /am_[\w-]{16,}/g;
const USER = /\/\/[^/?#@]*@/g;

/** @returns a request as the log shows it: without secrets, and no longer than a line may be */
export function described(request: FastifyRequest) {
  return {
    method: request.method,
    url: addressOf(request.url),
    host: request.host.slice(0, MAX_HOST),
    remoteAddress: request.ip,
    remotePort: request.socket?.remotePort,
    ...(request.owner && { key: request.owner.name }),
  };
}

function addressOf(url: string): string {
  const cut = url.length > MAX_ADDRESS ? `${url.slice(0, MAX_ADDRESS)}...` : url;
  const hide = (all: string, mark: string, name: string) => (SECRET.test(name) ? `${mark}${name}=***` : all);
  return cut.replace(PARAMETER, hide).replace(USER, '//***@').replace(KEY, 'am_***');
}
