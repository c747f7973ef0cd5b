// The live points of this tab: from the worker that all tabs share; without one, from a stream of its own.
import type { AudioMetricsClient } from '../../client/index.ts';
import { createLiveFeed, type LiveNews } from './live-feed.ts';
import { changeTail, type LiveTail, NO_TAIL } from './live-tail.ts';
import { MOST_UNANSWERED, WISH_EVERY_MS, type Wish } from './live-wish.ts';

export interface LivePoints {
  readonly tail: LiveTail;
  readonly isConnected: boolean;
  /** Whether the service misses points. */
  readonly isStale: boolean;
}

export interface LiveSource {
  /** Points come while somebody has subscribed. */
  subscribe(listener: () => void): () => void;
  current(): LivePoints;
}

const NONE: LivePoints = { tail: NO_TAIL, isConnected: false, isStale: false };

export function createLiveSource(client: AudioMetricsClient, apiKey: string | undefined): LiveSource {
  const listeners = new Set<() => void>();
  let now = NONE;
  let stop: (() => void) | undefined;
  const take = ({ isConnected, isStale, ...change }: LiveNews) => {
    now = { tail: changeTail(now.tail, change), isConnected, isStale };
    for (const listener of listeners) listener();
  };
  const followAlone = () => createLiveFeed(client).listen(take);
  const begin = () => {
    // Chrome on Android has none
    if (typeof SharedWorker === 'undefined') stop = followAlone();
    else
      stop = askWorker(apiKey, take, () => {
        now = NONE;
        stop = followAlone();
      });
  };
  return {
    current: () => now,
    subscribe(listener) {
      listeners.add(listener);
      if (!stop) begin();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stop?.();
        stop = undefined;
        now = NONE;
      };
    },
  };
}

/**
 * @param onLost called at most once, when the worker cannot be started or answers no more
 * @returns what ends it
 */
function askWorker(
  apiKey: string | undefined,
  onNews: (news: LiveNews) => void,
  onLost: () => void,
): () => void {
  const worker = new SharedWorker(new URL('./live-worker.ts', import.meta.url), {
    type: 'module',
    name: 'audio-metrics-live',
  });
  const { port } = worker;
  const tell = (wish: Wish) => port.postMessage(wish);
  const leave = () => tell(null);
  let unanswered = 0;
  const end = () => {
    clearInterval(timer);
    removeEventListener('pagehide', leave);
    worker.onerror = port.onmessage = null;
    leave();
    port.close();
  };
  const lose = () => {
    end();
    onLost();
  };
  const wish = () => {
    if (unanswered++ === MOST_UNANSWERED) lose();
    else tell({ apiKey });
  };
  port.onmessage = ({ data }: MessageEvent<LiveNews>) => {
    unanswered = 0;
    onNews(data);
  };
  worker.onerror = lose;
  addEventListener('pagehide', leave);
  const timer = setInterval(wish, WISH_EVERY_MS);
  wish();
  return end;
}
