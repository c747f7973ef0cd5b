// The connection to the service that serves the page, for the page and its worker.
import { getFetch } from '@trpc/client';
import type { Connection } from '../../client/query-links.ts';

/** The address that the page is at, which may be below a path; the script of a worker is in a folder there. */
export const serviceUrl = () =>
  new URL(typeof document === 'undefined' ? '..' : '.', location.href).href.slice(0, -1);

export const connectionOf = (apiKey: string | undefined): Connection => ({
  url: `${serviceUrl()}/trpc`,
  headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
  fetch: getFetch(),
});
