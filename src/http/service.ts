// What both transports work with.
import type { FastifyRequest } from 'fastify';
import type { Context } from '../api/context.ts';
import type { Admission } from '../load/admission.ts';
import type { CacheControl } from './cache-control.ts';
import type { Revocation } from './edge/revocation.ts';

export interface Service {
  readonly admission: Admission;
  /** @param type what the answer is sent as: points as JSON, and files as CSV, unless they can be that */
  contextOf(request: FastifyRequest, transport: Context['transport'], type: string): Context;
  readonly cacheControl: CacheControl;
  readonly revocation: Revocation;
}
