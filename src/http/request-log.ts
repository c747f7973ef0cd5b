// The log of requests: a line when a request has ended, with the trace of its caller (W3C Trace Context, 3.2).
import type { IncomingHttpHeaders } from 'node:http';
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';

/** Logs refused and failed requests at `info` (problem.ts logs the cause), other requests at `debug`. */
export class RequestLog extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply) {
    const { statusCode } = reply;
    const level = error || statusCode >= 400 || statusCode === 207 ? 'info' : 'debug'; // 207: a part failed
    request.log[level](fields(request, reply, error), 'request completed');
  }

  override streamError(error: Error, request: FastifyRequest, reply: FastifyReply): void {
    const isGone = 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (isGone) request.log.debug(fields(request, reply), 'the caller left before the end');
    else request.log.warn(fields(request, reply, error), 'the answer broke off');
  }
}

function fields(req: FastifyRequest, res: FastifyReply, err?: Error | null) {
  return { req, res, responseTime: res.elapsedTime, ...(err && { err }) };
}

const MAX_ADDRESS = 1024;
const MAX_HOST = 255;

/** Secrets that a caller may have put into a URL by mistake, found by parameter name or before an `@`. */
const PARAMETER = /([?&])([^?&=]*)=([^&]*)/g;
const SECRET = /key|token|secret|passw|auth|signature|credential|session/i;
const KEY = /am_[\w-]{16,}/g;
const USER = /\/\/[^/?#@]*@/g;

/** @returns a request for the log: without secrets, and limited in length */
export const described = (request: FastifyRequest) => ({
  method: request.method,
  url: addressOf(request.url),
  host: request.host.slice(0, MAX_HOST),
  remoteAddress: request.ip,
  remotePort: request.socket?.remotePort,
  ...(request.owner && { key: request.owner.name }),
});

function addressOf(url: string): string {
  const cut = url.length > MAX_ADDRESS ? `${url.slice(0, MAX_ADDRESS)}...` : url;
  const hide = (all: string, mark: string, name: string) => (SECRET.test(name) ? `${mark}${name}=***` : all);
  return cut.replace(PARAMETER, hide).replace(USER, '//***@').replace(KEY, 'am_***');
}

/** Later versions may append fields. Version ff and all-zero ids are invalid. */
const FORM = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** @returns the fields of the header; undefined if it is missing or malformed */
export function traceParentOf({ traceparent }: IncomingHttpHeaders) {
  if (typeof traceparent !== 'string') return undefined;
  const [, version, traceId, spanId, flags] = FORM.exec(traceparent) ?? [];
  if (!traceId || !spanId || !flags) return undefined;
  if (version === '00' && traceparent.length !== 55) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

/** Adds the caller's `trace_id`, if any, to each log line of a request. */
export function logTrace(request: FastifyRequest, reply: FastifyReply): void {
  const parent = traceParentOf(request.headers);
  if (parent) request.log = reply.log = request.log.child({ trace_id: parent.traceId });
}
