// The connection to the service: its URLs, headers and fetch.
import { getFetch } from '@trpc/client';

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
