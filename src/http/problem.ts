// Errors on REST: turns each into a problem (RFC 9457) without internal details.
import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ERRORS_PAGE, type Problem } from '../contract/problem.ts';
import { AppError, publicError, Refusal } from '../errors.ts';
import { CACHE_CONTROL } from './cache-control.ts';
import type { Content } from './send.ts';
import { serviceDesc } from './service.ts';

/** How long a caller should wait before a retry, in seconds (RFC 9110, 10.2.3). */
export const RETRY_AFTER_SECONDS = 1;

/** On every answer: browsers must trust its content type. */
export const NO_SNIFFING = { 'x-content-type-options': 'nosniff' } as const;

const OF_THE_ANSWER = ['content-disposition', 'content-encoding', 'content-length', 'etag', 'history-until'];

/** @returns the content to send for an error; logs the details that the caller does not see */
export function problemContent(error: unknown, request: FastifyRequest, reply: FastifyReply): Content {
  removeAnswer(reply);
  const shown = error instanceof Refusal ? error : (refusalOfFastify(error, request) ?? publicError(error));
  logFault(request, shown);
  const problem = publicProblem(shown, request.id);
  if (problem.status === 503) reply.header('retry-after', String(RETRY_AFTER_SECONDS));
  return {
    status: problem.status,
    type: 'application/problem+json',
    cacheControl: CACHE_CONTROL.never,
    headers: { 'x-request-id': problem.request_id, link: serviceDesc(request.url) },
    body: Buffer.from(JSON.stringify(problem)), // Fastify would add a charset to a text
  };
}

export function removeAnswer(reply: FastifyReply): void {
  for (const name of OF_THE_ANSWER) reply.removeHeader(name);
}

export function logFault(request: FastifyRequest, shown: AppError | Refusal): void {
  if (shown.status < 500) return;
  // not a fault: the query was cancelled, whatever error that caused
  if (request.raw.socket.destroyed) request.log.debug({ req: request }, 'the caller left before the end');
  else if (shown.status === 503) request.log.warn({ req: request, ...reasonOf(shown) }, shown.message);
  else
    request.log[shown.status === 500 ? 'error' : 'warn'](
      { req: request, err: shown.cause ?? shown },
      shown.message,
    );
}

/** Without a stack, because an overload or an outage may fail every request for a while. */
const reasonOf = ({ cause }: AppError | Refusal) =>
  cause instanceof Error && cause.message !== '' ? { reason: cause.message } : {};

export function publicProblem(error: AppError | Refusal, requestId: string): Problem {
  const { status, message, code } = error;
  const errors = error instanceof AppError && error.errors && { errors: [...error.errors] };
  return { ...problem(status, message, code, requestId), ...errors };
}

export function problem(status: number, detail: string, code: Problem['code'], request_id: string): Problem {
  const type = `${ERRORS_PAGE}#${code.toLowerCase().replaceAll('_', '-')}`;
  return { type, title: STATUS_CODES[status] ?? code, status, detail, code, request_id };
}

const BODY_FAULTS: Readonly<Record<string, string>> = {
  FST_ERR_CTP_EMPTY_JSON_BODY: 'The body is empty',
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body is not JSON',
};

/** What Fastify refused, for example because the path cannot be decoded. */
function refusalOfFastify(cause: unknown, { routeOptions }: FastifyRequest): AppError | undefined {
  const { code, statusCode } = Object(cause);
  if (!/^FST_/.test(code) || statusCode < 400 || statusCode >= 500) return undefined;
  return statusCode === 413
    ? new AppError('PAYLOAD_TOO_LARGE', `The body may have at most ${routeOptions.bodyLimit} bytes`, {
        cause,
      })
    : new AppError('BAD_REQUEST', BODY_FAULTS[code] ?? 'The request is malformed', { cause });
}
