// Identifies callers by their bearer key (RFC 6750), refuses callers without one, and ends requests of revoked keys.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { vary } from '../negotiation.ts';
import { guardedCalls, namesOf } from '../request-accounting.ts';
import { type ApiKeys, type KeyOwner, opens } from './api-keys.ts';
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

export type Revocation = ReturnType<typeof createRevocation>;

export function createRevocation(keys: ApiKeys | undefined) {
  const underWay = new Map<FastifyRequest, () => void>();
  keys?.onChange?.(() => {
    for (const [request, end] of underWay) if (isRevoked(request, keys)) end();
  });
  return {
    /** From now on, a revocation resets the connection, so that a partial answer cannot look complete. */
    watch(request: FastifyRequest, { raw }: FastifyReply): void {
      if (!keys?.onChange || !request.owner) return;
      underWay.set(request, () => request.raw.socket.resetAndDestroy());
      raw.once('close', () => underWay.delete(request));
    },
    /** Sets another way to end a request. An event stream may simply end, because it is never complete. */
    endBy(request: FastifyRequest, end: () => void): void {
      if (underWay.has(request)) underWay.set(request, end);
    },
  };
}

function isRevoked(request: FastifyRequest, keys: ApiKeys): boolean {
  const { owner: before, station } = request;
  const now = ownerOf(request, keys);
  if (now?.name !== before?.name) return true;
  const isAboutAll = namesOf(request).some((name) => name.startsWith('stations.'));
  if (isAboutAll) return now?.stations !== undefined && !before?.stations?.every((name) => opens(now, name));
  return opens(before, station?.name) && !opens(now, station?.name);
}
