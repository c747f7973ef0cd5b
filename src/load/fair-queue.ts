// Fair queue: limits how much work of a kind runs at a time, and shares free slots fairly between callers.
import { AppError } from '../errors.ts';
import { whenAborted } from '../signal.ts';

export interface FairQueueOptions {
  readonly slots: number;
  readonly slotsPerCaller?: number;
  /** Further slots, for callers that hold at most `reservePerCaller`. None by default. */
  readonly reserve?: number;
  readonly reservePerCaller?: number;
  /** The limit on waiting requests. One caller may have a fifth of them, rounded up. */
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
}

/** Releases the slots, or all but `kept`. If an answer turns out larger, `kept` may be more than was held. */
export type Leave = (kept?: number) => void;

interface Waiter {
  readonly slots: number;
  readonly enter: () => void;
}

const TOO_MANY_WAIT = 'The service is busy: too many requests are waiting';
const TOO_MANY_RUN = 'The service is busy: too many requests are running';
const TOO_LATE = 'The service is busy: no slot became free in time';

/** Next is the caller with the fewest slots, then the longest wait. Requests that fit pass others that want more. */
export class FairQueue {
  /** Called at each entry with its wait in milliseconds. */
  onEntered: ((waitedMs: number) => void) | undefined;
  running = 0;
  waiting = 0;
  refused = 0;
  readonly #options: Required<FairQueueOptions>;
  readonly #held = new Map<string, number>();
  /** Waiting requests by caller. Of callers with equally many slots, the first is served next. */
  readonly #waiters = new Map<string, Set<Waiter>>();

  /** The queues of other servers. */
  readonly #others = new Map<string, FairQueue>();

  constructor(options: FairQueueOptions) {
    this.#options = { slotsPerCaller: options.slots, reserve: 0, reservePerCaller: 0, ...options };
  }

  /** @returns the queue of a server, with slots of its own; this one for the server of the database */
  of(server: string | undefined): FairQueue {
    if (server === undefined) return this;
    const queue = this.#others.get(server) ?? new FairQueue(this.#options);
    queue.onEntered = this.onEntered;
    this.#others.set(server, queue);
    return queue;
  }

  /** The sum over all servers. */
  total(count: 'running' | 'waiting' | 'refused'): number {
    return (
      this[count] + Array.from(this.#others.values(), (queue) => queue[count]).reduce((a, b) => a + b, 0)
    );
  }

  /**
   * @param signal cancels the wait. It has no effect afterwards
   * @param wanted slots; a request for more than a caller may have gets that many
   * @throws AppError SERVICE_UNAVAILABLE if too many wait, or if no slot becomes free in time
   */
  async enter(caller: string, signal: AbortSignal, wanted = 1): Promise<Leave> {
    signal.throwIfAborted();
    const { maxWaiting, maxWaitMs, slotsPerCaller } = this.#options;
    const slots = Math.min(wanted, slotsPerCaller);
    if (this.#isFree(caller, slots)) {
      this.onEntered?.(0);
      return this.#take(caller, slots);
    }
    const { promise, resolve, reject } = Promise.withResolvers<Leave>();
    const since = performance.now();
    const waiters = this.#waiters.get(caller) ?? new Set<Waiter>();
    let timer: NodeJS.Timeout | undefined;
    const stopWaiting = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      this.waiting--;
      waiters.delete(waiter);
      if (waiters.size === 0) this.#waiters.delete(caller);
    };
    const enter = () => {
      stopWaiting();
      this.onEntered?.(performance.now() - since);
      resolve(this.#take(caller, slots));
    };
    const waiter = { slots, enter };
    const rejectWith = (reason: unknown) => {
      stopWaiting();
      reject(reason);
    };
    const abort = () => rejectWith(signal.reason);
    const refuse = (message: string) => {
      this.refused++;
      rejectWith(new AppError('SERVICE_UNAVAILABLE', message));
    };
    this.#waiters.set(caller, waiters.add(waiter));
    this.waiting++;
    if (this.waiting > maxWaiting || waiters.size > Math.ceil(maxWaiting / 5))
      refuse(maxWaiting > 0 ? TOO_MANY_WAIT : TOO_MANY_RUN);
    else {
      signal.addEventListener('abort', abort, { once: true });
      timer = setTimeout(refuse, maxWaitMs, TOO_LATE).unref();
    }
    return promise;
  }

  /** Enters, and leaves when `signal` aborts, even if it aborts at the moment of the entry. Else as {@link enter}. */
  async hold(caller: string, signal: AbortSignal, wanted?: number): Promise<Leave> {
    const leave = await this.enter(caller, signal, wanted);
    whenAborted(signal, () => leave());
    return leave;
  }

  #admit(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      const [caller, waiters] = next;
      this.#waiters.delete(caller);
      this.#waiters.set(caller, waiters); // it is served after all other callers
      const [first] = waiters;
      first?.enter();
    }
  }

  /** The next caller, if enough slots are free for the first request of a caller. */
  #next(): [caller: string, waiters: Set<Waiter>] | undefined {
    const free = [...this.#waiters].filter(([caller, [first]]) => first && this.#isFree(caller, first.slots));
    return free.sort(([one], [other]) => this.#heldBy(one) - this.#heldBy(other))[0];
  }

  #isFree(caller: string, wanted: number): boolean {
    const { slots, slotsPerCaller, reserve, reservePerCaller } = this.#options;
    const [all, its] = [this.running + wanted, this.#heldBy(caller) + wanted];
    return (all <= slots && its <= slotsPerCaller) || (all <= slots + reserve && its <= reservePerCaller);
  }

  #heldBy(caller: string): number {
    return this.#held.get(caller) ?? 0;
  }

  #take(caller: string, slots: number): Leave {
    let held = 0;
    const hold = (kept: number) => {
      const all = this.#heldBy(caller) + kept - held;
      this.running += kept - held;
      held = kept;
      if (all > 0) this.#held.set(caller, all);
      else this.#held.delete(caller);
    };
    hold(slots);
    return (kept = 0) => {
      hold(kept);
      this.#admit();
    };
  }
}
