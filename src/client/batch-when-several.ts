// Batches calls made in the same turn into one request; a lone call goes at once, not a millisecond later.
import type { TRPCLink } from '@trpc/client';
import type { AnyRouter } from '@trpc/server';
import { observable, type Unsubscribable } from '@trpc/server/observable';

/** A link that sends calls made in the same turn through `several`, and a lone call through `one`. */
export function batchWhenSeveral<R extends AnyRouter>(one: TRPCLink<R>, several: TRPCLink<R>): TRPCLink<R> {
  return (runtime) => {
    const links = { one: one(runtime), several: several(runtime) };
    let turn: { calls: number } | undefined;

    return (call) =>
      observable((observer) => {
        turn ??= { calls: 0 };
        const mine = turn;
        mine.calls++;
        let sent: Unsubscribable | undefined;
        let isOver = false;
        queueMicrotask(() => {
          if (turn === mine) turn = undefined; // all its calls are counted
          if (isOver) return;
          sent = (mine.calls > 1 ? links.several : links.one)(call).subscribe(observer);
        });
        return () => {
          isOver = true;
          sent?.unsubscribe();
        };
      });
  };
}
