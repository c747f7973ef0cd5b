// What both transports work with.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Turns } from '../api/ask.ts';
import type { CacheControl } from './cache-control.ts';
import type { Revocation } from './edge/revocation.ts';
import type { Content } from './send.ts';

export interface Service extends Turns {
  /** Who asks, with the clock and all else that an answer depends on. */
  callerOf(request: FastifyRequest): Caller;
  /** Sends an answer, or anything else: the one place that does. */
  send(request: FastifyRequest, reply: FastifyReply, content: Content): Promise<FastifyReply>;
  readonly cacheControl: CacheControl;
  readonly revocation: Revocation;
}
