// The client of the service that serves the page, with the reader's API key if it needs one.
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { type AudioMetricsClient, createClient } from '../../client/index.ts';
import type { Levels } from '../../contract/periods.ts';
import { readStored, store } from './browser-storage.ts';
import { createLiveSource, type LiveSource } from './live-source.ts';
import { rootUrl, serviceUrl } from './service-url.ts';

export interface ApiClient {
  readonly client: AudioMetricsClient;
  /** The client of all stations. */
  readonly root: AudioMetricsClient;
  /** The client of another station. */
  readonly clientAt: (url: string) => AudioMetricsClient;
  /** The live points, by the kind of their levels. */
  readonly live: Readonly<Record<Levels, LiveSource>>;
  readonly apiKey: string | undefined;
  setApiKey(key: string): void;
}

const Current = createContext<ApiClient | undefined>(undefined);

/** The API key's name in local storage: each browser asks a reader once. */
const KEY = 'audio-metrics-key';

export function ApiClientProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [apiKey, setKey] = useState(() => readStored(KEY));
  const connection = useMemo(() => {
    const clientAt = (url: string) => createClient(url, { apiKey });
    const client = clientAt(serviceUrl());
    return {
      client,
      clientAt,
      root: rootUrl() === serviceUrl() ? client : clientAt(rootUrl()),
      live: { stored: createLiveSource(client, 'stored'), absolute: createLiveSource(client, 'absolute') },
      apiKey,
      setApiKey(key: string) {
        store(KEY, key);
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
