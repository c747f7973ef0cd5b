// The query client: retries unless an error is final, and keeps the previous answer meanwhile.
import { keepPreviousData, QueryClient } from '@tanstack/react-query';
import { isFinal } from '../../client/service-error.ts';

export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY, // an input with fixed times has one answer
        gcTime: 30_000,
        placeholderData: keepPreviousData,
        refetchOnWindowFocus: false,
        networkMode: 'always',
        retry: (_count, error) => !isFinal(error),
        retryDelay: (tries) => Math.min(1000 * 2 ** tries, 10_000),
      },
    },
  });
}
