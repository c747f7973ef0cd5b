// The live points of this tab, from the worker that all tabs share; where there is none, from a worker of its own.
import type { LiveNews } from './live-feed.ts';
import { changeTail, type LiveTail, NO_TAIL } from './live-tail.ts';
import { MOST_UNANSWERED, WISH_EVERY_MS, type Wish } from './live-wish.ts';
import workerUrl from './live-worker.ts?worker&url';

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

export function createLiveSource(apiKey: string | undefined): LiveSource {
  const listeners = new Set<() => void>();
  let now = NONE;
  let stop: (() => void) | undefined;
  const take = ({ isConnected, isStale, ...change }: LiveNews) => {
    now = { tail: changeTail(now.tail, change), isConnected, isStale };
    for (const listener of listeners) listener();
  };
  const askOwn = () => {
    now = NONE;
    stop = askWorker(openOwn(), apiKey, take, () => {
      now = NONE;
      for (const listener of listeners) listener();
    });
  };
  const begin = () => {
    // Chrome on Android has none
    if (typeof SharedWorker === 'undefined') askOwn();
    else stop = askWorker(openShared(), apiKey, take, askOwn);
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

interface OpenWorker {
  readonly worker: AbstractWorker;
  readonly port: MessagePort;
  end(): void;
}

function openShared(): OpenWorker {
  const worker = new SharedWorker(workerUrl, { type: 'module', name: 'audio-metrics-live' });
  return { worker, port: worker.port, end() {} };
}

function openOwn(): OpenWorker {
  const worker = new Worker(workerUrl, { type: 'module' });
  const { port1, port2 } = new MessageChannel();
  worker.postMessage(null, [port2]);
  return { worker, port: port1, end: () => worker.terminate() };
}

/**
 * @param onLost called at most once, when the worker cannot be started or answers no more
 * @returns what ends it
 */
function askWorker(
  { worker, port, end: endWorker }: OpenWorker,
  apiKey: string | undefined,
  onNews: (news: LiveNews) => void,
  onLost: () => void,
): () => void {
  const tell = (wish: Wish) => port.postMessage(wish);
  const leave = () => tell(null);
  let unanswered = 0;
  const end = () => {
    clearInterval(timer);
    removeEventListener('pagehide', leave);
    worker.onerror = port.onmessage = null;
    leave();
    port.close();
    endWorker();
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
