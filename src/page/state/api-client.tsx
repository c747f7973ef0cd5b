// The client of the service that serves the page, with the reader's API key if it needs one.
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { createClient } from '../../client/index.ts';
import { readStored, store } from './browser-storage.ts';
import { createLiveSource } from './live-source.ts';
import { rootUrl, serviceUrl } from './service-url.ts';

/** The API key's name in local storage: each browser asks a reader once. */
const KEY = 'audio-metrics-key';

function useConnection() {
  const queries = useQueryClient();
  const [apiKey, setKey] = useState(() => readStored(KEY));
  return useMemo(() => {
    const clientAt = (url: string) => createClient(url, { apiKey });
    const client = clientAt(serviceUrl());
    return {
      client,
      /** The client of another station. */
      clientAt,
      root: rootUrl() === serviceUrl() ? client : clientAt(rootUrl()),
      /** The live points, by the kind of their levels. */
      live: { stored: createLiveSource(client, 'stored'), absolute: createLiveSource(client, 'absolute') },
      apiKey,
      setApiKey(key: string) {
        store(KEY, key);
        setKey(key);
        queries.clear();
      },
    };
  }, [apiKey, queries]);
}

const Current = createContext<ReturnType<typeof useConnection> | undefined>(undefined);

export function ApiClientProvider({ children }: { children: ReactNode }) {
  return <Current value={useConnection()}>{children}</Current>;
}

export function useApiClient() {
  const connection = useContext(Current);
  if (!connection) throw new Error('Outside of ApiClientProvider');
  return connection;
}
