// Repeats work until it is stopped.
import { setTimeout as delay } from 'node:timers/promises';

export interface Loop {
  /** Ends the current wait, unless the work has failed. */
  wake(): void;
  /** Stops the loop, and resolves when the current work has ended. */
  stop(): Promise<void>;
}

/**
 * @param work returns the wait before the next run, in milliseconds
 * @param onFault receives the error of the work and the number of failures in a row, unless stopped; returns the wait
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
