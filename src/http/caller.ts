// Who asks: what the log, the queues and the limits tell callers apart by.
import type { FastifyRequest } from 'fastify';

/** @returns the address of the caller; behind a trusted proxy the one that the proxy names */
export function callerOf(request: FastifyRequest): string {
  return request.ip;
}
