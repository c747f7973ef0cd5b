// The connection to the service: its URLs, headers and fetch, and its links for queries.
import { getFetch, httpBatchStreamLink, httpLink, splitLink, type TRPCLink } from '@trpc/client';
import { MAX_BATCH_SIZE, MAX_URL_LENGTH } from '../contract/batch-limits.ts';
import type { AppRouter } from '../operations/router.ts';
import { batchWhenSeveral } from './batch-when-several.ts';

export interface ClientOptions {
  /** The API key, if the service needs one. */
  readonly apiKey?: string | undefined;
  /** Headers for every request, such as `authorization` for a proxy in front of the service. */
  readonly headers?: Record<string, string>;
  /** Replaces the global `fetch`. */
  readonly fetch?: ReturnType<typeof getFetch>;
}

export interface Connection {
  /** The URL for tRPC. */
  readonly url: string;
  readonly restUrl: string;
  readonly headers: Record<string, string>;
  readonly fetch: ReturnType<typeof getFetch>;
}

/** @param url the address of the service, with or without `/trpc` or `/api/v1` */
export function createConnection(url: string | URL, options: ClientOptions = {}): Connection {
  const { apiKey, headers } = options;
  const base = String(url).replace(/(\/(trpc|api\/v1))?\/*$/, '');
  return {
    url: `${base}/trpc`,
    restUrl: `${base}/api/v1`,
    headers: { ...headers, ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
    fetch: (input, init) => getFetch(options.fetch)(input, init),
  };
}

const streamed = {
  maxURLLength: MAX_URL_LENGTH,
  streamHeader: 'accept', // `trpc-accept` would need a CORS preflight for each request
} as const;

/** Exports stream alone; other calls share a batch. */
export function queryLinks(connection: Connection): TRPCLink<AppRouter> {
  const { fetch } = connection;
  // not tRPC's own signal: it aborts after the last answer, before the response ends, and so closes the connection
  const several = (signal: AbortSignal) =>
    httpBatchStreamLink<AppRouter>({
      ...connection,
      ...streamed,
      maxItems: MAX_BATCH_SIZE,
      fetch: (input, init) => fetch(input, { ...init, signal }),
    });
  return splitLink({
    condition: ({ path }) => path.startsWith('export.'),
    true: httpBatchStreamLink({ ...connection, ...streamed, maxItems: 1 }),
    false: batchWhenSeveral(httpLink(connection), several),
  });
}
