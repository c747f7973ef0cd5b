// Live: how a client listens, comes back after a cut, and puts its points together.
import { httpSubscriptionLink, retryLink, type TRPCLink } from '@trpc/client';
import type { Unsubscribable } from '@trpc/server/observable';
import { EventSource } from 'eventsource';
import type { LiveEvent } from '../contract/live.ts';
import type { AppRouter } from '../procedures/router.ts';
import { type AudioMetricsClient, type ClientOptions, isServiceError } from './index.ts';

type Fetch = NonNullable<ClientOptions['fetch']>;

/** A point that comes so late is sent still (src/contract/live.ts). */
const LATE_MS = 10_000;

const [LEAST_WAIT_MS, MOST_WAIT_MS] = [1000, 30_000];

/**
 * Links for subscriptions. A cut connection is made anew after one to three seconds, a refused one after 1 to 30 s,
 * longer each time; both go on where they were. What the service refuses for good is an error.
 */
export function liveLinks(shared: {
  url: string;
  headers?: Record<string, string>;
  fetch?: Fetch;
}): TRPCLink<AppRouter>[] {
  let [refused, refusedAt] = [0, 0];
  return [
    retryLink({
      retry: ({ error }) => !isServiceError(error),
      retryDelayMs: () => {
        refused = Date.now() - refusedAt > 2 * MOST_WAIT_MS ? 0 : refused + 1;
        refusedAt = Date.now();
        return Math.min(LEAST_WAIT_MS * 2 ** refused, MOST_WAIT_MS) * (0.5 + Math.random() / 2);
      },
    }),
    httpSubscriptionLink({
      url: shared.url,
      EventSource,
      eventSourceOptions: { fetch: eventFetch(shared) },
    }),
  ];
}

/** A refusal that asking again does not change becomes an event, as an EventSource tells only that there was one. */
function eventFetch({
  headers,
  fetch: own = fetch as Fetch,
}: {
  headers?: Record<string, string>;
  fetch?: Fetch;
}) {
  return async (url: string | URL, init: RequestInit): Promise<Response> => {
    const sent = { ...init, headers: { ...(init.headers as Record<string, string>), ...headers } };
    const response = (await (own as typeof fetch)(url, sent)) as Response;
    if (response.status < 400 || response.status >= 500 || response.status === 429) return response;
    const { error } = (await response.json()) as { error: unknown };
    return new Response(`event: serialized-error\ndata: ${JSON.stringify(error)}\n\n`, {
      headers: { 'content-type': 'text/event-stream' },
    });
  };
}

/** Whether asking again would be refused again. */
function isServiceRefusal(error: unknown): boolean {
  return isServiceError(error) && error.data.code === 'BAD_REQUEST';
}

type Point = LiveEvent['points'][number];

export interface Follower {
  /** New points, oldest first. */
  readonly onPoints: (points: Point[]) => void;
  /** Drop the points from this time on: what follows is in their place. */
  readonly onRestart?: (from: string) => void;
  /** Whether points stay away; told when that changes. */
  readonly onStale?: (isStale: boolean) => void;
  /** The service refused for good, such as for a bad `from` or a key that it does not know. Nothing follows. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Follows the points from a time on: those that are there, then every new one, once. Cuts, restarts of the service and
 * long breaks are mended; what a stream cannot replay is read from `audio.range`.
 *
 * @example
 * const { unsubscribe } = follow(client, { from: 'now-1m' }, { onPoints: draw, onRestart: dropFrom });
 */
export function follow(
  client: AudioMetricsClient,
  { from }: { from?: string },
  { onPoints, onRestart, onStale, onError }: Follower,
): Unsubscribable {
  let isStale = false;
  let isOver = false;
  /** The newest time that was told, or the start of all. */
  let reached: string | undefined;
  let work = Promise.resolve();

  /** Reads what lies between what was told and where a replay begins. */
  async function fill(to: string) {
    const since = reached === undefined ? from : new Date(Date.parse(reached) - LATE_MS).toISOString();
    if (since === undefined) return;
    let cursor: string | undefined;
    do {
      const page = await client.audio.range.query({ from: since, to, ...(cursor && { cursor }) });
      if (isOver) return;
      if (cursor === undefined && reached !== undefined) onRestart?.(page.from);
      if (page.points.length > 0) onPoints(page.points);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }

  async function take({ restart_from, points, stale }: LiveEvent) {
    if (isOver) return;
    if (restart_from !== null) {
      while (!isOver && (reached === undefined || reached < restart_from))
        if (await fill(restart_from).then(() => true, isServiceRefusal)) break;
        else await new Promise((resolve) => setTimeout(resolve, LEAST_WAIT_MS));
      if (isOver) return;
      onRestart?.(restart_from);
    }
    if (points.length > 0) onPoints(points);
    reached = points.at(-1)?.time ?? reached;
    if (stale !== isStale) onStale?.(stale);
    isStale = stale;
  }

  const subscription = client.audio.live.subscribe(from === undefined ? {} : { from }, {
    onData: ({ data }) => {
      work = work.then(() => take(data));
    },
    onError: (error) => {
      isOver = true;
      onError?.(error);
    },
  });
  return {
    unsubscribe() {
      isOver = true;
      subscription.unsubscribe();
    },
  };
}
