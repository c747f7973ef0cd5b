// Does a piece of work again and again until it is stopped.
import { setTimeout as delay } from 'node:timers/promises';

export interface Loop {
  /** Ends the wait, unless the work has failed. */
  wake(): void;
  /** Ends the wait for good; settles when the work that is under way has ended. */
  stop(): Promise<void>;
}

/**
 * @param work returns the wait before it is done again, in milliseconds
 * @param onFault receives what the work throws, unless it was stopped, and how often that was in a row; returns the wait
 */
export function startLoop(
  work: (signal: AbortSignal) => Promise<number>,
  onFault: (error: unknown, failures: number) => number,
): Loop {
  const stopping = new AbortController();
  const { signal } = stopping;
  let waking = new AbortController();

  async function goOn(): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      waking = new AbortController();
      let ms = 0;
      try {
        ms = await work(signal);
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        ms = onFault(error, failures);
      }
      const ending = failures === 0 ? waking.signal : signal;
      await delay(ms, undefined, { ref: false, signal: ending }).catch(() => {});
    }
  }

  const running = goOn();
  return {
    wake: () => waking.abort(),
    async stop() {
      stopping.abort();
      waking.abort();
      await running;
    },
  };
}
