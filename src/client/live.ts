// Live: how a client listens, comes back after a cut, and puts its points together.
import { httpSubscriptionLink, retryLink, type TRPCLink } from '@trpc/client';
import type { Unsubscribable } from '@trpc/server/observable';
import { EventSource } from 'eventsource';
import type { AppRouter } from '../api/router.ts';
import type { LiveEvent } from '../contract/live.ts';
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
  const waits = new Map<number, ReturnType<typeof createWaits>>();
  let waitMs = LEAST_WAIT_MS;
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
      url: shared.url,
      EventSource,
      eventSourceOptions: { fetch: eventFetch(shared) },
    }),
  ];
}

/** @returns what tells how long to wait before the next try: 1 to 30 s, longer each time, until a minute went well */
function createWaits(): () => number {
  let [tries, last] = [0, 0];
  return () => {
    const now = Date.now();
    tries = now - last > 2 * MOST_WAIT_MS ? 0 : tries + 1;
    last = now;
    return LEAST_WAIT_MS + Math.random() * Math.min(LEAST_WAIT_MS * 2 ** tries, MOST_WAIT_MS - LEAST_WAIT_MS);
  };
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
    const refusal = (await response.json().catch(() => undefined)) as { error?: unknown } | undefined;
    if (!refusal?.error) return new Response(null, { status: response.status }); // not of the service
    const { error } = refusal;
    return new Response(`event: serialized-error\ndata: ${JSON.stringify(error)}\n\n`, {
      headers: { 'content-type': 'text/event-stream' },
    });
  };
}

/** Whether asking again would be refused again. */
function isForGood(error: unknown): boolean {
  const status = isServiceError(error) ? error.data.httpStatus : 500;
  return status >= 400 && status < 500 && status !== 429;
}

type Point = LiveEvent['points'][number];

export interface Follower {
  /** New points, oldest first. */
  readonly onPoints: (points: Point[]) => void;
  /** Drop the points from this time on: what follows is in their place. */
  readonly onRestart?: (from: string) => void;
  /** Whether there is a connection; told when that changes, from false on. */
  readonly onConnection?: (isConnected: boolean) => void;
  /** Whether points stay away; told when that changes, from false on. */
  readonly onStale?: (isStale: boolean) => void;
  /** The service refused for good, such as for a bad `from` or a key that it does not know, or one of these threw. */
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
  { onPoints, onRestart, onConnection, onStale, onError }: Follower,
): Unsubscribable {
  let isConnected = false;
  let isStale = false;
  let isOver = false;
  /** Up to when all that a stream sends was told. */
  let reached: string | undefined;
  let work = Promise.resolve();

  /** Asks again until there is an answer; undefined where the interval is none. */
  async function pageOf(question: { from: string; to: string; cursor?: string }) {
    for (const wait = createWaits(); !isOver; await new Promise((resolve) => setTimeout(resolve, wait())))
      try {
        return await client.audio.range.query(question);
      } catch (error) {
        if (isServiceError(error) && error.data.code === 'BAD_REQUEST') return undefined;
        if (isForGood(error)) throw error;
      }
    return undefined;
  }

  /** Reads what lies between what was told and where a replay begins. */
  async function fill(to: string) {
    const since = reached === undefined ? from : new Date(Date.parse(reached) - LATE_MS).toISOString();
    let cursor: string | undefined;
    do {
      if (since === undefined) return;
      const page = await pageOf({ from: since, to, ...(cursor !== undefined && { cursor }) });
      if (isOver || !page) return;
      if (cursor === undefined) onRestart?.(page.from);
      if (page.points.length > 0) onPoints(page.points);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }

  async function take(id: string, { restart_from, points, stale }: LiveEvent) {
    if (isOver) return;
    if (restart_from !== null) {
      if (reached === undefined || reached < restart_from) await fill(restart_from);
      if (isOver) return;
      onRestart?.(restart_from);
    }
    if (points.length > 0) onPoints(points);
    reached = id.slice(0, id.indexOf('~'));
    if (stale !== isStale) onStale?.(stale);
    isStale = stale;
  }

  const end = (error: unknown) => {
    if (isOver) return;
    isOver = true;
    subscription.unsubscribe();
    onError?.(error);
  };
  const subscription = client.audio.live.subscribe(from === undefined ? {} : { from }, {
    onData: ({ id, data }) => {
      work = work.then(() => take(id, data)).catch(end);
    },
    onConnectionStateChange({ state }) {
      if ((state === 'pending') === isConnected) return; // each attempt is told
      isConnected = !isConnected;
      onConnection?.(isConnected);
    },
    onError: end,
  });
  return {
    unsubscribe() {
      isOver = true;
      subscription.unsubscribe();
    },
  };
}
