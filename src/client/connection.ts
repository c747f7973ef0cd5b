// The connection to the service: its URLs, headers and fetch, and its links for queries.
import {
  getFetch,
  httpBatchStreamLink,
  httpLink,
  splitLink,
  TRPCClientError,
  type TRPCLink,
} from '@trpc/client';
import { observable, type Unsubscribable } from '@trpc/server/observable';
import { MAX_BATCH_SIZE, MAX_URL_LENGTH } from '../contract/batch-limits.ts';
import type { AppRouter } from '../operations/router.ts';

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

type Link = TRPCLink<AppRouter>;

const streamed = {
  maxURLLength: MAX_URL_LENGTH,
  streamHeader: 'accept', // `trpc-accept` would need a CORS preflight for each request
} as const;

/** Exports stream alone; other calls share a batch. */
export function queryLinks(connection: Connection): Link {
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

/**
 * Returns a link that sends a lone call through `one` at once, and calls of the same tick through a link from `several`.
 * An aborted call fails at once, as docs/reference/client.md says: in tRPC's own batch it waits for the others. If any
 * was aborted, `signal` aborts once all others are answered or aborted too.
 */
function batchWhenSeveral(one: Link, several: (signal: AbortSignal) => Link): Link {
  return (runtime) => {
    const lone = one(runtime);
    const createBatch = () => {
      const ending = new AbortController();
      return { ending, link: several(ending.signal)(runtime), calls: 0, waiting: 0, isGivenUp: false };
    };
    let batch: ReturnType<typeof createBatch> | undefined;

    return (call) =>
      observable((observer) => {
        batch ??= createBatch();
        const mine = batch;
        mine.calls++;
        mine.waiting++;
        const { signal } = call.op;
        let sent: Unsubscribable | undefined;
        let isOver = false;
        const giveUp = () => {
          mine.isGivenUp = true;
          observer.error(TRPCClientError.from(signal?.reason));
        };
        signal?.addEventListener('abort', giveUp);
        queueMicrotask(() => {
          if (batch === mine) batch = undefined; // later calls begin a new batch
          if (signal?.aborted) giveUp();
          if (!isOver) sent = (mine.calls > 1 ? mine.link : lone)(call).subscribe(observer);
        });
        return () => {
          isOver = true;
          signal?.removeEventListener('abort', giveUp);
          sent?.unsubscribe();
          if (--mine.waiting === 0 && mine.isGivenUp && batch !== mine) mine.ending.abort();
        };
      });
  };
}
