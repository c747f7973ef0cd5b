// Repeats work until it is stopped.
import { setTimeout as delay } from 'node:timers/promises';

export interface Loop {
  /** Ends the current wait, unless the work has failed. */
  wake(): void;
  /** Stops the loop, and resolves when the current work has ended. */
  stop(): Promise<void>;
}

/** @param work returns the next wait in ms. @param onFault gets the error and the failures in a row; returns one too */
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
