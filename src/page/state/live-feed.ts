// A feed of new points: one stream for all who listen, closed while nobody does.
import { follow } from '../../client/follow.ts';
import type { AudioMetricsClient } from '../../client/index.ts';
import { instantOf } from '../../contract/instant.ts';
import { changeTail, NO_TAIL, type TailChange } from './live-tail.ts';

/** Told to all who listen; the first to each has the points of the last minute. */
export interface LiveNews extends TailChange {
  readonly isConnected: boolean;
  /** Whether the service misses points. */
  readonly isStale: boolean;
}

export interface LiveFeed {
  /** What is so now, without points. */
  status(): LiveNews;
  /** @returns what ends it */
  listen(listener: (news: LiveNews) => void): () => void;
}

/** How far back a feed begins: further than a short bucket and the step of an interval that moves. */
const BEGIN_MS = 60_000;

export function createLiveFeed(client: AudioMetricsClient): LiveFeed {
  const listeners = new Set<(news: LiveNews) => void>();
  let tail = NO_TAIL;
  let isConnected = false;
  let isStale = false;
  let stop: (() => void) | undefined;
  const newsOf = ({ restartFrom, points }: TailChange): LiveNews => ({
    restartFrom,
    points,
    isConnected,
    isStale,
  });
  const status = () => newsOf({ restartFrom: null, points: [] });
  const tell = (change: TailChange) => {
    tail = changeTail(tail, change);
    for (const listener of listeners) listener(newsOf(change));
  };
  const open = () => {
    const from = instantOf(Date.now() - BEGIN_MS);
    tail = { since: from, points: [] };
    isConnected = isStale = false;
    const { unsubscribe } = follow(
      client,
      { from },
      {
        onPoints: (points) => tell({ restartFrom: null, points }),
        onRestart: (restartFrom) => tell({ restartFrom, points: [] }),
        onConnection: (is) => {
          isConnected = is;
          tell(status());
        },
        onStale: (is) => {
          isStale = is;
          tell(status());
        },
      },
    );
    return unsubscribe;
  };
  return {
    status,
    listen(listener) {
      stop ??= open();
      listeners.add(listener);
      listener(newsOf({ restartFrom: tail.since, points: tail.points }));
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stop?.();
        stop = undefined;
      };
    },
  };
}
