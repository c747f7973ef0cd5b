// The connection to the service that serves the page, for the page and its worker.
import { getFetch } from '@trpc/client';
import type { Connection } from '../../client/query-links.ts';

export const connectionOf = (apiKey: string | undefined): Connection => ({
  url: `${location.origin}/trpc`,
  headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
  fetch: getFetch(),
});
