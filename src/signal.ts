// Tells those who work that nobody waits for their work any more.

/** What is used of an AbortSignal, which is one of these. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Aborts as an AbortController does, and lets go of its listeners. */
export class Ending implements Signal {
  aborted = false;
  reason: unknown;
  #listeners: (() => void)[] = [];

  /** The first call tells every listener. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const listeners = this.#listeners;
    this.#listeners = []; // an idle connection keeps its last request, and so all that they hold
    for (const listener of listeners) listener();
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.#listeners.includes(listener)) this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners = this.#listeners.filter((other) => other !== listener);
  }
}

/** @returns what `work` gives; rejects with the reason once `signal` aborts */
export function unlessAborted<Result>(work: Promise<Result>, signal: Signal | undefined): Promise<Result> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    const settled =
      <Value>(settle: (value: Value) => void) =>
      (value: Value) => {
        signal.removeEventListener('abort', abort);
        settle(value);
      };
    work.then(settled(resolve), settled(reject));
  });
}
