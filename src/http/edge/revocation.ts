// Revocation: ends running requests of callers whose key is removed, or no longer opens their station.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { namesOf } from '../request-accounting.ts';
import { type ApiKeys, opens } from './api-keys.ts';
import { ownerOf } from './authentication.ts';

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
