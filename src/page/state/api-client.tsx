// The client of the service that serves the page, with the reader's API key if it needs one.
import { useQueryClient } from '@tanstack/react-query';
import { createTRPCClient } from '@trpc/client';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { createConnection } from '../../client/connection.ts';
import type { AppRouter, AudioMetricsClient } from '../../client/index.ts';
import { batchLinks } from '../../client/query-links.ts';
import { readStored, store } from './browser-storage.ts';
import { createLiveSource, type LiveSource } from './live-source.ts';
import { serviceUrl } from './service-url.ts';

export interface ApiClient {
  readonly client: AudioMetricsClient;
  readonly live: LiveSource;
  readonly apiKey: string | undefined;
  setApiKey(key: string): void;
}

const Current = createContext<ApiClient | undefined>(undefined);

/** Its name in the session storage: kept until the tab is closed. */
const KEY = 'audio-metrics-key';

export function ApiClientProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [apiKey, setKey] = useState(() => readStored('sessionStorage', KEY));
  const connection = useMemo(() => {
    return {
      client: createTRPCClient<AppRouter>({
        links: [batchLinks(createConnection(serviceUrl(), { apiKey }))],
      }),
      live: createLiveSource(apiKey),
      apiKey,
      setApiKey(key: string) {
        store('sessionStorage', KEY, key);
        setKey(key);
        queries.clear();
      },
    };
  }, [apiKey, queries]);
  return <Current value={connection}>{children}</Current>;
}

export function useApiClient(): ApiClient {
  const connection = useContext(Current);
  if (!connection) throw new Error('Outside of ApiClientProvider');
  return connection;
}
