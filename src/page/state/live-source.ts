// The live points of this tab: the whole page shares one stream, which closes when nothing listens.
import { follow } from '../../client/follow.ts';
import type { AudioMetricsClient } from '../../client/index.ts';
import { isServiceError } from '../../client/service-error.ts';
import { instantOf } from '../../contract/instant.ts';
import type { Levels } from '../../contract/periods.ts';
import { changeTail, NO_TAIL, type TailChange } from './live-tail.ts';

/** The points, and when the last of them arrived, by performance.now(). */
const NONE = { tail: NO_TAIL, heardAt: Number.NEGATIVE_INFINITY };

/** How far back a stream begins: longer than a short bucket and the step of a moving interval. */
const BEGIN_MS = 60_000;

/** A stream of absolute levels ends at a change of scale. It reopens after this time, in milliseconds. */
const AGAIN_MS = 1000;

export function createLiveSource(client: AudioMetricsClient, levels: Levels) {
  const listeners = new Set<() => void>();
  let now = NONE;
  let stop: (() => void) | undefined;
  const change = (by: TailChange) => {
    const heardAt = by.points.length > 0 ? performance.now() : now.heardAt;
    now = { tail: changeTail(now.tail, by), heardAt };
    for (const listener of listeners) listener();
  };
  const open = (backMs: number) => {
    const from = instantOf(Date.now() - backMs);
    now = { ...now, tail: { since: from, points: [] } };
    let again: ReturnType<typeof setTimeout> | undefined;
    const { unsubscribe } = follow(
      client,
      { from, levels },
      {
        onPoints: (points) => change({ restartFrom: null, points }),
        onRestart: (restartFrom) => change({ restartFrom, points: [] }),
        onError(error) {
          if (isServiceError(error) && error.data.errors?.some(({ parameter }) => parameter === 'levels'))
            again = setTimeout(() => {
              stop = open(0);
            }, AGAIN_MS);
        },
      },
    );
    return () => {
      clearTimeout(again);
      unsubscribe();
    };
  };
  return {
    current: () => now,
    /** Points arrive while there is a subscriber. */
    subscribe(listener: () => void) {
      listeners.add(listener);
      stop ??= open(BEGIN_MS);
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
