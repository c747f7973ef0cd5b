// Batches calls of the same tick: keeps "An aborted call fails at once" of docs/reference/client.md, which tRPC's own
// batch does not while other calls in it wait. A lone call is sent at once, not a millisecond later.
import { TRPCClientError, type TRPCLink } from '@trpc/client';
import type { AnyRouter } from '@trpc/server';
import { observable, type Unsubscribable } from '@trpc/server/observable';

/**
 * Returns a link that sends a lone call through `one`, and calls of the same tick through a link from `several`. An
 * aborted call fails at once. If any was aborted, `signal` aborts once all others are answered or aborted too.
 */
export function batchWhenSeveral<R extends AnyRouter>(
  one: TRPCLink<R>,
  several: (signal: AbortSignal) => TRPCLink<R>,
): TRPCLink<R> {
  return (runtime) => {
    const lone = one(runtime);
    const createBatch = () => {
      const ending = new AbortController();
      return { ending, link: several(ending.signal)(runtime), calls: 0, waiting: 0, isGivenUp: false };
    };
    let batch: ReturnType<typeof createBatch> | undefined;

    return (call) =>
      observable((observer) => {
        batch ??= createBatch();
        const mine = batch;
        mine.calls++;
        mine.waiting++;
        const { signal } = call.op;
        let sent: Unsubscribable | undefined;
        let isOver = false;
        const giveUp = () => {
          mine.isGivenUp = true;
          observer.error(TRPCClientError.from(signal?.reason));
        };
        signal?.addEventListener('abort', giveUp);
        queueMicrotask(() => {
          if (batch === mine) batch = undefined; // later calls begin a new batch
          if (signal?.aborted) giveUp();
          if (!isOver) sent = (mine.calls > 1 ? mine.link : lone)(call).subscribe(observer);
        });
        return () => {
          isOver = true;
          signal?.removeEventListener('abort', giveUp);
          sent?.unsubscribe();
          if (--mine.waiting === 0 && mine.isGivenUp && batch !== mine) mine.ending.abort();
        };
      });
  };
}
