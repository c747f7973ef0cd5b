// Where calls go, and with what.
import { getFetch } from '@trpc/client';

export interface ClientOptions {
  /** The key of this caller, if the service needs one. */
  readonly apiKey?: string | undefined;
  /** Headers for every request, such as an authorization for a proxy in front of the service. */
  readonly headers?: Record<string, string>;
  /** Used in place of the global `fetch`. */
  readonly fetch?: ReturnType<typeof getFetch>;
}

export interface Connection {
  /** Of tRPC. */
  readonly url: string;
  readonly restUrl: string;
  readonly headers: Record<string, string>;
  readonly fetch: ReturnType<typeof getFetch>;
}

/** @param url where the service is; `/trpc` or `/api/v1` may follow */
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
