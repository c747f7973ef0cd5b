// Who may ask: knows callers by their bearer key (RFC 6750), and refuses those without one.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import type { ApiKeys } from './api-keys.ts';
import { vary } from './caching-and-compression.ts';
import { guardedCalls } from './calls.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** @returns whose key a request brought, by the keys as they are now. Undefined where nobody needs one. */
    ownerOf?: (request: FastifyRequest) => string | undefined;
  }
  interface FastifyRequest {
    /** Whose key the request brought. */
    keyName: string | undefined;
  }
}

const BEARER = /^bearer +([\w.~+/-]{1,512}=*)$/i;

/** Knows callers by their keys, before anything counts them. */
export function identify(app: FastifyInstance, keys: ApiKeys): void {
  app.decorateRequest('keyName', undefined);
  const ownerOf = (request: FastifyRequest) => {
    const key = BEARER.exec(request.raw.headers.authorization ?? '')?.[1];
    return key !== undefined && isSentOnce(request) ? keys.nameOf(key) : undefined;
  };
  app.decorate('ownerOf', ownerOf);
  app.addHook('onRequest', (request, _reply, done) => {
    request.keyName = ownerOf(request);
    done();
  });
}

/** @returns false where the key of a request that is still answered has been taken away */
export function hasItsKey(request: FastifyRequest): boolean {
  return request.keyName === request.server.ownerOf?.(request);
}

/** Refuses who has no key. After what is unknown to all is refused, and CORS has answered its preflights. */
export function demandKeys(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (guardedCalls(request) === 0) return done();
    vary(reply, 'authorization');
    if (request.keyName !== undefined) return done();
    const isTried = /^bearer\b/i.test(request.raw.headers.authorization ?? '');
    // RFC 6750, 3: no error where the caller did not try
    reply.header('www-authenticate', isTried ? 'Bearer error="invalid_token"' : 'Bearer');
    done(
      new AppError(
        'UNAUTHORIZED',
        isTried ? 'The key is not known' : 'A key is needed: send Authorization: Bearer KEY',
      ),
    );
  });
}

/** Of two, Node gives the first, and what stands in front of the service may have read the other. */
function isSentOnce({ raw }: FastifyRequest): boolean {
  let count = 0;
  for (let i = 0; i < raw.rawHeaders.length; i += 2)
    if (raw.rawHeaders[i]?.length === 13 && raw.rawHeaders[i]?.toLowerCase() === 'authorization') count++;
  return count <= 1;
}
