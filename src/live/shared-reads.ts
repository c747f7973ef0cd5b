// Shared reads: equal reads between two polls share one answer.
import { unlessAborted } from '../signal.ts';

interface Read<Answer> {
  readonly answer: Promise<Answer>;
  readonly ending: AbortController;
  waiting: number;
}

export class SharedReads<Answer> {
  readonly #reads = new Map<string, Read<Answer>>();

  /**
   * @param read is called for the first caller. Its signal aborts when all waiting callers have left
   * @throws the reason of `signal` once it aborts
   */
  async get(
    key: string,
    read: (signal: AbortSignal) => Promise<Answer>,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    signal?.throwIfAborted();
    const running = this.#reads.get(key) ?? begin(read);
    this.#reads.set(key, running);
    running.waiting++;
    try {
      return await unlessAborted(running.answer, signal);
    } finally {
      running.waiting--;
      if (signal?.aborted && running.waiting === 0) {
        if (this.#reads.get(key) === running) this.#reads.delete(key);
        running.ending.abort(signal.reason);
      }
    }
  }

  /** Makes later calls read again. */
  forget(): void {
    this.#reads.clear();
  }
}

function begin<Answer>(read: (signal: AbortSignal) => Promise<Answer>): Read<Answer> {
  const ending = new AbortController();
  return { answer: read(ending.signal), ending, waiting: 0 };
}
