// Links for subscriptions: event streams that come back after a cut, and end with what is refused for good.
import { type getFetch, httpSubscriptionLink, retryLink, type TRPCLink } from '@trpc/client';
import { EventSource, type FetchLike, type FetchLikeResponse } from 'eventsource';
import type { AppRouter } from '../api/router.ts';
import { createWaits } from './retry-waits.ts';
import { isFinalStatus, isServiceError } from './service-error.ts';

interface SubscriptionOptions {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly fetch: ReturnType<typeof getFetch>;
}

/**
 * A cut connection is made anew after one to three seconds, a refused one after 1 to 30 s, longer each time; both go on
 * where they were. What the service refuses for good is an error.
 */
export function subscriptionLinks(options: SubscriptionOptions): TRPCLink<AppRouter>[] {
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
      url: options.url,
      EventSource,
      eventSourceOptions: { fetch: eventFetch(options) },
    }),
  ];
}

/** An EventSource tells only that it was refused: a final refusal of the service becomes an event. */
function eventFetch({ headers, fetch }: SubscriptionOptions): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, { ...init, headers: { ...init.headers, ...headers } });
    if (!isWhole(response)) throw new TypeError('`fetch` gave no Response');
    if (!isFinalStatus(response.status)) return response;
    const refusal = await response.json().catch(() => undefined);
    if (typeof refusal !== 'object' || refusal === null || !('error' in refusal))
      return new Response(null, { status: response.status }); // not of the service
    return new Response(`event: serialized-error\ndata: ${JSON.stringify(refusal.error)}\n\n`, {
      headers: { 'content-type': 'text/event-stream' },
    });
  };
}

/** Whether it has what an EventSource reads; tRPC's other links read less. */
function isWhole(response: object): response is FetchLikeResponse {
  return 'status' in response && 'headers' in response;
}
