// Delivers all points since a time, even across lost connections and restarts of the service.
import type { TRPCClient } from '@trpc/client';
import type { inferRouterOutputs } from '@trpc/server';
import type { Unsubscribable } from '@trpc/server/observable';
import type { AppRouter } from '../operations/router.ts';
import { createWaits, isFinal, isServiceError } from './service-error.ts';

/** How late a streamed point may be (src/operations/audio/live/contract.ts). */
const LATE_MS = 10_000;

// derived from the router: the types of the contract need zod, which a frontend may lack
type Audio = inferRouterOutputs<AppRouter>['audio'];
type LiveEvent = Audio['live'] extends AsyncIterable<{ data: infer Data }> ? Data : never;

/** One measured window. */
export type LivePoint = Audio['latest']['points'][number];

export interface FollowOptions {
  /** Delivers points since this time. By default, only new points. */
  readonly from?: string;
  /** `absolute` for sound pressure levels. By default, levels as stored. */
  readonly levels?: 'stored' | 'absolute';
}

export interface Follower {
  /** Receives new points, oldest first. */
  readonly onPoints: (points: LivePoint[]) => void;
  /** Called when points from this time on will be delivered again. Drop those that you have. */
  readonly onRestart?: (from: string) => void;
  /** Called when the connection is established or lost. At first it counts as lost. */
  readonly onConnection?: (isConnected: boolean) => void;
  /** Called when points stop arriving, or arrive again. */
  readonly onStale?: (isStale: boolean) => void;
  /** Called when following ends because the service refuses (bad `from`, unknown key) or one of these functions throws. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Delivers stored points since a time, then every new point, each once. It survives lost connections, restarts of the
 * service and long breaks. If a stream cannot replay missed points, it queries them with `audio.range`.
 *
 * @example
 * const { unsubscribe } = follow(client, { from: 'now-1m' }, { onPoints: draw, onRestart: dropFrom });
 */
export function follow(
  client: TRPCClient<AppRouter>,
  { from, levels = 'stored' }: FollowOptions,
  { onPoints, onRestart, onConnection, onStale, onError }: Follower,
): Unsubscribable {
  let isConnected = false;
  let isStale = false;
  let isOver = false;
  /** Points up to this time have been delivered. */
  let reached: string | undefined;
  let work = Promise.resolve();

  /** Retries until there is an answer; undefined if the interval is empty or reversed. */
  async function pageOf(input: { from: string; to: string; cursor?: string }) {
    for (const wait = createWaits(); !isOver; await new Promise((resolve) => setTimeout(resolve, wait())))
      try {
        return await client.audio.range.query({ ...input, levels });
      } catch (error) {
        if (isServiceError(error) && error.data.code === 'BAD_REQUEST') return undefined;
        if (isFinal(error)) throw error;
      }
    return undefined;
  }

  /** Reads the points that are missing before a replay. */
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
  const subscription = client.audio.live.subscribe(
    { levels, ...(from !== undefined && { from }) },
    {
      onData: ({ id, data }) => {
        work = work.then(() => take(id, data)).catch(end);
      },
      onConnectionStateChange({ state }) {
        if ((state === 'pending') === isConnected) return; // the link reports each attempt
        isConnected = !isConnected;
        onConnection?.(isConnected);
      },
      onError: end,
    },
  );
  return {
    unsubscribe() {
      isOver = true;
      subscription.unsubscribe();
    },
  };
}
