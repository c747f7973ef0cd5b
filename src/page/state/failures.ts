// Collects the failures of all the page's requests.
import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

/** @returns the errors of the queries on screen, one per query; the same array while nothing changes */
export function useFailures(): readonly unknown[] {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () => {
      const now = cache
        .getAll()
        .flatMap((query) => (query.isActive() ? (query.state.fetchFailureReason ?? []) : []));
      const isSame = now.length === last.length && now.every((failure, index) => failure === last[index]);
      if (!isSame) last = now;
      return last;
    },
  );
}

/** The last result: a store must return the same array while nothing changes. */
let last: readonly unknown[] = [];
