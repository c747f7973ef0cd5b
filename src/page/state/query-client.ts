// How the page asks: again where asking again can help, and what it holds meanwhile.
import { keepPreviousData, QueryClient } from '@tanstack/react-query';
import { isServiceError } from '../../client/index.ts';

/** Whether asking again would be refused again. */
export function isForGood(error: unknown): boolean {
  const status = isServiceError(error) ? error.data.httpStatus : 503;
  return status < 500 && status !== 429;
}

export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY, // an interval has its times
        gcTime: 30_000,
        placeholderData: keepPreviousData,
        refetchOnWindowFocus: false,
        networkMode: 'always',
        retry: (_count, error) => !isForGood(error),
        retryDelay: (tries) => Math.min(1000 * 2 ** tries, 10_000),
      },
    },
  });
}
