// Fair queue: limits how much work of a kind runs at a time, and shares free slots fairly between callers.
import { AppError } from '../errors.ts';

export interface FairQueueOptions {
  readonly slots: number;
  readonly slotsPerCaller?: number;
  /** The limit on waiting requests. One caller may have a fifth of them, rounded up. */
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
}

/** Releases a slot. Call it once. */
export type Leave = () => void;

const TOO_MANY_WAIT = 'The service is busy: too many requests are waiting';
const TOO_MANY_RUN = 'The service is busy: too many requests are running';
const TOO_LATE = 'The service is busy: no slot became free in time';

/** The next slot goes to the caller with the fewest slots. If several have equally few, the longest wait decides. */
export class FairQueue {
  /** Called at each entry with its wait in milliseconds. */
  onEntered?: (waitedMs: number) => void;
  running = 0;
  waiting = 0;
  refused = 0;
  readonly #options: Required<FairQueueOptions>;
  readonly #held = new Map<string, number>();
  /** Waiting requests by caller. Of callers with equally many slots, the first is served next. */
  readonly #waiters = new Map<string, Set<() => void>>();

  constructor(options: FairQueueOptions) {
    this.#options = { slotsPerCaller: options.slots, ...options };
  }

  /**
   * @param signal cancels the wait. It has no effect afterwards
   * @throws AppError SERVICE_UNAVAILABLE if too many wait, or if no slot becomes free in time
   */
  async enter(caller: string, signal: AbortSignal): Promise<Leave> {
    signal.throwIfAborted();
    if (this.#isFree(caller)) {
      this.onEntered?.(0);
      return this.#take(caller);
    }
    const { maxWaiting, maxWaitMs } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<Leave>();
    const since = performance.now();
    const waiters = this.#waiters.get(caller) ?? new Set();
    let timer: NodeJS.Timeout | undefined;
    const stopWaiting = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      this.waiting--;
      waiters.delete(enter);
      if (waiters.size === 0) this.#waiters.delete(caller);
    };
    const enter = () => {
      stopWaiting();
      this.onEntered?.(performance.now() - since);
      resolve(this.#take(caller));
    };
    const rejectWith = (reason: unknown) => {
      stopWaiting();
      reject(reason);
    };
    const abort = () => rejectWith(signal.reason);
    const refuse = (message: string) => {
      this.refused++;
      rejectWith(new AppError('SERVICE_UNAVAILABLE', message));
    };
    this.#waiters.set(caller, waiters.add(enter));
    this.waiting++;
    if (this.waiting > maxWaiting || waiters.size > Math.ceil(maxWaiting / 5))
      refuse(maxWaiting > 0 ? TOO_MANY_WAIT : TOO_MANY_RUN);
    else {
      signal.addEventListener('abort', abort, { once: true });
      timer = setTimeout(refuse, maxWaitMs, TOO_LATE).unref();
    }
    return promise;
  }

  #admit(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      const [caller, waiters] = next;
      this.#waiters.delete(caller);
      this.#waiters.set(caller, waiters); // it is served after all other callers
      const [enter] = waiters;
      enter?.();
    }
  }

  /** The next caller, if a slot is free for a waiting caller. */
  #next(): [caller: string, waiters: Set<() => void>] | undefined {
    const free = [...this.#waiters].filter(([caller]) => this.#isFree(caller));
    return free.sort(([one], [other]) => this.#heldBy(one) - this.#heldBy(other))[0];
  }

  #isFree(caller: string): boolean {
    return this.running < this.#options.slots && this.#heldBy(caller) < this.#options.slotsPerCaller;
  }

  #heldBy(caller: string): number {
    return this.#held.get(caller) ?? 0;
  }

  #take(caller: string): Leave {
    const hold = (change: 1 | -1) => {
      this.running += change;
      const held = this.#heldBy(caller) + change;
      if (held > 0) this.#held.set(caller, held);
      else this.#held.delete(caller);
    };
    hold(1);
    return () => {
      hold(-1);
      this.#admit();
    };
  }
}
