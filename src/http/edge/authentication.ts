// Who may ask: knows callers by their bearer key (RFC 6750), and refuses those without one.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { vary } from '../negotiation.ts';
import { guardedCalls } from '../request-accounting.ts';
import type { ApiKeys, KeyOwner } from './api-keys.ts';
import { timesSent } from './times-sent.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose key it brought. */
    owner: KeyOwner | undefined;
  }
}

const BEARER = /^bearer +([\w.~+/-]{1,512}=*)$/i;

/** @returns whose key a request brought, by the keys as they are now; undefined where nobody needs one */
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
  // RFC 6750, 3: no error where the caller did not try
  reply.header('www-authenticate', isTried ? 'Bearer error="invalid_token"' : 'Bearer');
  throw new AppError(
    'UNAUTHORIZED',
    isTried ? 'The key is not known' : 'A key is needed: send Authorization: Bearer KEY',
  );
}
