// Errors on REST: every one becomes an RFC 9457 problem here, and none says more than it may.
import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '../contract/problem.ts';
import type { AppError, ErrorCode } from '../errors.ts';
import { publicError } from '../procedures/trpc.ts';

/** The HTTP status of every kind of error. tRPC gives the same kinds the same statuses. */
export const STATUS: Record<ErrorCode, number> = {
  BAD_REQUEST: 400,
  NOT_FOUND: 404,
  METHOD_NOT_SUPPORTED: 405,
  SERVICE_UNAVAILABLE: 503,
  GATEWAY_TIMEOUT: 504,
  INTERNAL_SERVER_ERROR: 500,
};

/** What a caller should wait before trying again, in seconds. */
export const RETRY_AFTER_SECONDS = 1;

/** Answers with a problem, and logs what the caller does not see. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const shown = publicError(error);
  const status = STATUS[shown.code];
  logFault(request, shown);
  if (status === 503) reply.header('retry-after', String(RETRY_AFTER_SECONDS));
  return reply
    .status(status)
    .header('cache-control', 'no-store')
    .type('application/problem+json')
    .serializer((body: string) => body)
    .send(JSON.stringify(problemOf(shown, request.id)));
}

/** Logs an error that is the service's own, with its cause. */
export function logFault(request: FastifyRequest, shown: AppError): void {
  const status = STATUS[shown.code];
  if (status < 500) return;
  const level = status === 500 ? 'error' : 'warn';
  request.log[level]({ err: shown.cause ?? shown }, shown.message);
}

export function problemOf({ code, message, errors }: AppError, requestId: string): Problem {
  const status = STATUS[code];
  return {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? code,
    status,
    detail: message,
    code,
    ...(errors ? { errors: [...errors] } : {}),
    request_id: requestId,
  };
}
