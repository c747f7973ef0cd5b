// Links for queries: calls of one moment share a request, a lone call goes at once, an export streams by itself.
import { httpBatchStreamLink, httpLink, splitLink, type TRPCLink } from '@trpc/client';
import type { AppRouter } from '../api/router.ts';
import { MAX_BATCH_SIZE, MAX_URL_LENGTH } from '../contract/batch-limits.ts';
import { batchWhenSeveral } from './batch-when-several.ts';
import type { Connection } from './connection.ts';

const streamed = {
  maxURLLength: MAX_URL_LENGTH,
  streamHeader: 'accept', // `trpc-accept` would need a CORS preflight for each request
} as const;

/** For all but exports, which a page of the service need not have. */
export function batchLinks(connection: Connection): TRPCLink<AppRouter> {
  const { fetch } = connection;
  // tRPC's own signal aborts after the last answer, before the response ends, which would close the connection
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
