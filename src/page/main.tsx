// Starts the page.
import { keepPreviousData, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import 'uplot/dist/uPlot.min.css';
import './style.css';
import './print.css';
import { isFinal } from '../client/service-error.ts';
import { App } from './app.tsx';
import { startPopups } from './panels/close-popups.ts';
import { ApiClientProvider } from './state/api-client.tsx';
import { startTheme } from './state/theme.ts';

const queries = new QueryClient({
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
startTheme();
startPopups();
const root = document.getElementById('app');
if (root)
  createRoot(root).render(
    <QueryClientProvider client={queries}>
      <ApiClientProvider>
        <App />
      </ApiClientProvider>
    </QueryClientProvider>,
  );
