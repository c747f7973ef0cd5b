// What both transports work with.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context, Turns } from '../api/context.ts';
import type { CacheControl } from './cache-control.ts';
import type { Revocation } from './edge/revocation.ts';
import type { Content } from './send.ts';

export interface Service extends Turns {
  /** @param type what the answer is sent as: points as JSON, and files as CSV, unless they can be that */
  contextOf(request: FastifyRequest, transport: Context['transport'], type: string): Context;
  /** Sends what REST answers, or anything else: the one place that does. */
  send(request: FastifyRequest, reply: FastifyReply, content: Content): Promise<FastifyReply>;
  readonly cacheControl: CacheControl;
  readonly revocation: Revocation;
}
