// Who asks: what the log, the queues and the limits tell callers apart by.
import type { FastifyRequest } from 'fastify';

/** @returns the name of the caller's key; without one the address, behind a trusted proxy the one that it names */
export function callerOf(request: FastifyRequest): string {
  return request.keyName ?? request.ip;
}
