// What goes wrong with the questions of the page, of all of them together.
import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

/** @returns the faults of the questions that are on screen, one a question; the same array while nothing changes */
export function useFailures(): readonly unknown[] {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () => {
      const now = cache
        .getAll()
        .flatMap((query) => (query.isActive() ? (query.state.fetchFailureReason ?? []) : []));
      const isSame = now.length === last.length && now.every((failure, place) => failure === last[place]);
      if (!isSame) last = now;
      return last;
    },
  );
}

/** What was told last: a store must tell the same array twice. */
let last: readonly unknown[] = [];
