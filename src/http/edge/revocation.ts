// Revocation: ends what is under way for callers whose key is taken away.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiKeys } from './api-keys.ts';
import { ownerOf } from './authentication.ts';

export type Revocation = ReturnType<typeof createRevocation>;

export function createRevocation(keys: ApiKeys | undefined) {
  const underWay = new Map<FastifyRequest, () => void>();
  keys?.onChange?.(() => {
    for (const [request, end] of underWay) if (ownerOf(request, keys) !== request.keyName) end();
  });
  return {
    /** From now on a revocation breaks the connection off, so that nobody takes a part for the whole. */
    watch(request: FastifyRequest, { raw }: FastifyReply): void {
      if (!keys?.onChange || request.keyName === undefined) return;
      underWay.set(request, () => request.raw.socket.resetAndDestroy());
      raw.once('close', () => underWay.delete(request));
    },
    /** Ends a request in another way: a stream of events has no whole. */
    endBy(request: FastifyRequest, end: () => void): void {
      if (underWay.has(request)) underWay.set(request, end);
    },
  };
}
