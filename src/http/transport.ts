// What both transports work with.
import type { FastifyRequest } from 'fastify';
import type { Outgoing } from '../load/slow-readers.ts';
import type { Context } from '../procedures/trpc.ts';
import type { Admission } from './admission.ts';
import type { CacheControl } from './cache-control.ts';

export interface Transport {
  /** @param hasPlace whether the request waited for its place already */
  createContext(request: FastifyRequest, hasPlace?: boolean): Context;
  readonly admission: Admission;
  readonly outgoing: Outgoing;
  readonly cacheControl: CacheControl;
}
