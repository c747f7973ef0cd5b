// Starts the page.
import { keepPreviousData, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import 'uplot/dist/uPlot.min.css';
import './style.css';
import './print.css';
import { App } from './app.tsx';
import { startPopups } from './panels/close-popups.ts';
import { isAskedAgain, waitBefore } from './state/answer-faults.ts';
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
      retry: (_count, error) => isAskedAgain(error),
      retryDelay: waitBefore,
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
