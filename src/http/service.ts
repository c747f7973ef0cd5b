// The parts of the service that both transports use, and a query string.
import type { FastifyRequest } from 'fastify';
import type { Admission } from '../load/admission.ts';
import type { Context } from '../operations/context.ts';
import type { CacheControl } from './cache-control.ts';
import type { Revocation } from './edge/caller.ts';

/** A query string as Fastify parses it: a repeated parameter is an array. */
export type Query = Record<string, unknown>;

export interface Service {
  readonly admission: Admission;
  /** @param type the media type of the answer. Pages that cannot have it are JSON, and files CSV */
  contextOf(request: FastifyRequest, transport: Context['transport'], type: string): Context;
  readonly cacheControl: CacheControl;
  readonly revocation: Revocation;
}
