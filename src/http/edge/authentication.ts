// Authentication: identifies callers by their bearer key (RFC 6750), and refuses callers without a valid key.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { vary } from '../negotiation.ts';
import { guardedCalls } from '../request-accounting.ts';
import type { ApiKeys, KeyOwner } from './api-keys.ts';
import { timesSent } from './times-sent.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The owner of the request's key. */
    owner: KeyOwner | undefined;
  }
}

const BEARER = /^bearer +([\w.~+/-]{1,512}=*)$/i;

/** @returns the owner of the request's key; undefined if it is not a current key, or if the service has no keys */
export function ownerOf(request: FastifyRequest, keys: ApiKeys | undefined): KeyOwner | undefined {
  if (!keys) return undefined;
  const key = BEARER.exec(request.raw.headers.authorization ?? '')?.[1];
  return key !== undefined && timesSent(request.raw, 'authorization') === 1 ? keys.ownerOf(key) : undefined;
}

export function demandKey(request: FastifyRequest, reply: FastifyReply): void {
  if (guardedCalls(request) === 0) return;
  vary(reply, 'authorization');
  if (request.owner) return;
  const isTried = /^bearer\b/i.test(request.raw.headers.authorization ?? '');
  // RFC 6750, 3: no error code if the caller sent no key
  reply.header('www-authenticate', isTried ? 'Bearer error="invalid_token"' : 'Bearer');
  throw new AppError(
    'UNAUTHORIZED',
    isTried ? 'The key is unknown' : 'A key is required: send Authorization: Bearer KEY',
  );
}
