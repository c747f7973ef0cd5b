// Links for subscriptions: event streams that reconnect after a cut, and end with a final refusal.
import { httpSubscriptionLink, retryLink, type TRPCLink } from '@trpc/client';
import { EventSource, type FetchLike, type FetchLikeResponse } from 'eventsource';
import type { AppRouter } from '../api/router.ts';
import type { Connection } from './query-links.ts';
import { createWaits } from './retry-waits.ts';
import { isFinalStatus, isServiceError } from './service-error.ts';

/**
 * Reconnects 1 to 3 s after a cut, and 1 to 30 s after a refusal, longer each time; the stream resumes where it was. A
 * final refusal is an error.
 */
export function subscriptionLinks(connection: Connection): TRPCLink<AppRouter>[] {
  const waits = new Map<number, () => number>();
  let waitMs = 0;
  return [
    retryLink({
      retry: ({ op, error }) => {
        if (isServiceError(error)) return false;
        const next = waits.get(op.id) ?? createWaits();
        waits.set(op.id, next);
        waitMs = next();
        return true;
      },
      retryDelayMs: () => waitMs,
    }),
    httpSubscriptionLink({
      url: connection.url,
      EventSource,
      eventSourceOptions: { fetch: eventFetch(connection) },
    }),
  ];
}

/** Turns a final refusal of the service into an event: an EventSource would hide what it says. */
function eventFetch({ headers, fetch }: Connection): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, { ...init, headers: { ...init.headers, ...headers } });
    if (!isWhole(response)) throw new TypeError('`fetch` gave no Response');
    if (!isFinalStatus(response.status)) return response;
    const refusal = await response.json().catch(() => undefined);
    if (typeof refusal !== 'object' || refusal === null || !('error' in refusal))
      return new Response(null, { status: response.status }); // not from the service
    return new Response(`event: serialized-error\ndata: ${JSON.stringify(refusal.error)}\n\n`, {
      headers: { 'content-type': 'text/event-stream' },
    });
  };
}

/** Whether it has what an EventSource needs; tRPC's type of `fetch` promises less. */
function isWhole(response: object): response is FetchLikeResponse {
  return 'status' in response && 'headers' in response;
}
