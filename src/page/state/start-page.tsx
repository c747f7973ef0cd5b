// The shared setup of all pages: retries of queries, the theme, and the language of the document.
import { keepPreviousData, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { language } from '../texts/texts.ts';
import { isRetried, waitBefore } from './answer-faults.ts';
import { ApiClientProvider } from './api-client.tsx';
import { startTheme } from './theme.ts';

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY, // a query with fixed times has one answer
      gcTime: 30_000,
      placeholderData: keepPreviousData,
      refetchOnWindowFocus: false,
      networkMode: 'always',
      retry: (_count, error) => isRetried(error),
      retryDelay: waitBefore,
    },
  },
});

export function startPage(page: ReactNode): void {
  document.documentElement.lang = language;
  startTheme();
  const root = document.getElementById('app');
  if (root)
    createRoot(root).render(
      <QueryClientProvider client={queries}>
        <ApiClientProvider>{page}</ApiClientProvider>
      </QueryClientProvider>,
    );
}
