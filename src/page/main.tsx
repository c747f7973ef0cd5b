// Starts the page.
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import 'uplot/dist/uPlot.min.css';
import './style.css';
import { App } from './app.tsx';
import { ConnectionProvider } from './connection.tsx';
import { startPopups } from './popups.ts';
import { createQueries } from './queries.ts';
import { startTheme } from './theme.ts';

startTheme();
startPopups();
const root = document.getElementById('app');
if (root)
  createRoot(root).render(
    <QueryClientProvider client={createQueries()}>
      <ConnectionProvider>
        <App />
      </ConnectionProvider>
    </QueryClientProvider>,
  );
