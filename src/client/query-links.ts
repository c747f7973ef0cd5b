// Links for queries: simultaneous calls share a request, a lone call is sent at once, an export streams on its own.
import { httpBatchStreamLink, httpLink, splitLink, type TRPCLink } from '@trpc/client';
import { MAX_BATCH_SIZE, MAX_URL_LENGTH } from '../contract/batch-limits.ts';
import type { AppRouter } from '../operations/router.ts';
import { batchWhenSeveral } from './batch-when-several.ts';
import type { Connection } from './connection.ts';

const streamed = {
  maxURLLength: MAX_URL_LENGTH,
  streamHeader: 'accept', // `trpc-accept` would need a CORS preflight for each request
} as const;

/** For all calls except exports, which the page of the service does not need. */
export function batchLinks(connection: Connection): TRPCLink<AppRouter> {
  const { fetch } = connection;
  // not tRPC's own signal: it aborts after the last answer, before the response ends, and so closes the connection
  const several = (signal: AbortSignal) =>
    httpBatchStreamLink<AppRouter>({
      ...connection,
      ...streamed,
      maxItems: MAX_BATCH_SIZE,
      fetch: (input, init) => fetch(input, { ...init, signal }),
    });
  return batchWhenSeveral(httpLink(connection), several);
}

export function queryLinks(connection: Connection): TRPCLink<AppRouter> {
  return splitLink({
    condition: ({ path }) => path.startsWith('export.'),
    true: httpBatchStreamLink({ ...connection, ...streamed, maxItems: 1 }),
    false: batchLinks(connection),
  });
}
