// Calls of one moment share a request; one alone goes at once, and does not wait a millisecond for others.
import type { TRPCLink } from '@trpc/client';
import type { AnyRouter } from '@trpc/server';
import { observable, type Unsubscribable } from '@trpc/server/observable';

/** A link that sends through `several` the calls that are made in one turn, and through `one` a call alone. */
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
        queueMicrotask(() => {
          if (turn === mine) turn = undefined; // every call of it has been counted
          sent = (mine.calls > 1 ? links.several : links.one)(call).subscribe(observer);
        });
        return () => sent?.unsubscribe();
      });
  };
}
