// Starts the page.
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import 'uplot/dist/uPlot.min.css';
import './style.css';
import { App } from './app.tsx';
import { startPopups } from './panels/close-popups.ts';
import { ApiClientProvider } from './state/api-client.tsx';
import { createQueries } from './state/query-client.ts';
import { startTheme } from './state/theme.ts';

startTheme();
startPopups();
const root = document.getElementById('app');
if (root)
  createRoot(root).render(
    <QueryClientProvider client={createQueries()}>
      <ApiClientProvider>
        <App />
      </ApiClientProvider>
    </QueryClientProvider>,
  );
