// Fair queue: so much work of a kind runs at a time; the rest waits, fairly by caller.
import { AppError } from '../errors.ts';
import type { Signal } from '../signal.ts';

export interface FairQueueOptions {
  /** How many slots there are. */
  readonly slots: number;
  /** How many of them one caller may hold. All by default. */
  readonly slotsPerCaller?: number;
  /** How many may wait. */
  readonly maxWaiting: number;
  /** How long one may wait, in milliseconds. */
  readonly maxWaitMs: number;
  /** Whether another slot may be given. After a no, `admit` must be called when that changes. */
  readonly hasRoom?: () => boolean;
  /** Whether the oldest request goes first, whoever's it is. */
  readonly isOldestFirst?: () => boolean;
}

/** Gives a slot back; idempotent. */
export type Leave = () => void;

interface Waiter {
  readonly since: number;
  readonly requestedAt: number;
  enter(): void;
  turnAway(reason: unknown): void;
}

/** How often the queue looks for those who waited too long, in milliseconds. */
const LOOK_EVERY_MS = 1000;

/**
 * Next: fewest slots held, then longest without a turn; or the oldest request, where that is told. Where too many
 * wait, the last of the caller with the most waiting is refused: a caller that floods the queue crowds out itself.
 */
export class FairQueue {
  /** Called with how long each that entered had waited, in milliseconds. */
  onEntered?: (waitedMs: number) => void;
  readonly #options: FairQueueOptions;
  /** Slots held, by caller. */
  readonly #held = new Map<string, number>();
  /** By caller, in the order of their turns. */
  readonly #waiters = new Map<string, Set<Waiter>>();
  #timer: NodeJS.Timeout | undefined;
  #running = 0;
  #waiting = 0;
  #refused = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** How many were refused so far. */
  get refused(): number {
    return this.#refused;
  }

  /** @returns the slot where one is free and nobody waits, else undefined */
  tryEnter(caller: string): Leave | undefined {
    if (this.#waiting > 0 || !this.#isFree() || this.#heldBy(caller) >= this.#slotsPerCaller)
      return undefined;
    this.onEntered?.(0);
    return this.#take(caller);
  }

  /**
   * @param signal gives up waiting; has no effect afterwards
   * @param requestedAt when its request came: of one caller the oldest is next, so a batch ends before another begins
   *   and few answers wait for the rest of theirs
   * @throws AppError SERVICE_UNAVAILABLE where too many wait, or no slot became free in time
   */
  async enter(caller: string, signal: Signal, requestedAt = performance.now()): Promise<Leave> {
    signal.throwIfAborted();
    return this.tryEnter(caller) ?? this.#wait(caller, signal, requestedAt);
  }

  /** Gives the slots that are free to those who wait. */
  admit(): void {
    while (this.#waiting > 0 && this.#isFree()) {
      const caller = this.#next();
      const waiters = caller === undefined ? undefined : this.#waiters.get(caller);
      if (caller === undefined || !waiters) return;
      const waiter = oldestOf(waiters);
      this.#remove(caller, waiter);
      this.#moveBack(caller);
      waiter.enter();
    }
  }

  /** Whose turn it is. */
  #next(): string | undefined {
    const isOldestFirst = this.#options.isOldestFirst?.() ?? false;
    let [next, least]: [string | undefined, number] = [undefined, Infinity];
    for (const [caller, waiters] of this.#waiters) {
      const held = this.#heldBy(caller);
      const rank = isOldestFirst ? oldestOf(waiters).requestedAt : held;
      if (held < this.#slotsPerCaller && rank < least) [next, least] = [caller, rank];
    }
    return next;
  }

  get #slotsPerCaller(): number {
    return this.#options.slotsPerCaller ?? this.#options.slots;
  }

  #heldBy(caller: string): number {
    return this.#held.get(caller) ?? 0;
  }

  #isFree(): boolean {
    const { slots, hasRoom } = this.#options;
    return this.#running < slots && (hasRoom?.() ?? true);
  }

  #wait(caller: string, signal: Signal, requestedAt: number): Promise<Leave> {
    return new Promise((resolve, reject) => {
      const { maxWaiting, maxWaitMs } = this.#options;
      const since = performance.now();
      const settled = () => {
        signal.removeEventListener('abort', abort);
        this.#waiting--;
      };
      const waiter: Waiter = {
        since,
        requestedAt,
        enter: () => {
          settled();
          this.onEntered?.(performance.now() - since);
          resolve(this.#take(caller));
        },
        turnAway: (reason) => {
          settled();
          reject(reason);
        },
      };
      const abort = () => this.#turnAway(caller, waiter, signal.reason);
      signal.addEventListener('abort', abort);
      const others = this.#waiters.get(caller);
      if (others) others.add(waiter);
      else this.#waiters.set(caller, new Set([waiter]));
      this.#waiting++;
      this.admit();
      if (this.#waiting > maxWaiting) this.#refuseOne();
      // one timer for all: one each took a twentieth of the processor time of a small answer
      this.#timer ??= setInterval(() => this.#refuseLate(), Math.min(maxWaitMs, LOOK_EVERY_MS)).unref();
    });
  }

  #refuseLate(): void {
    const since = performance.now() - this.#options.maxWaitMs;
    for (const [caller, waiters] of this.#waiters)
      for (const waiter of waiters)
        if (waiter.since <= since)
          this.#refuse(caller, waiter, 'Too much is asked for: its turn did not come in time');
    if (this.#waiting > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #take(caller: string): Leave {
    this.#running++;
    this.#held.set(caller, this.#heldBy(caller) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#running--;
      const left = this.#heldBy(caller) - 1;
      if (left > 0) this.#held.set(caller, left);
      else this.#held.delete(caller);
      this.admit();
    };
  }

  #remove(caller: string, waiter: Waiter): void {
    const waiters = this.#waiters.get(caller);
    waiters?.delete(waiter);
    if (waiters?.size === 0) this.#waiters.delete(caller);
  }

  /** The next turn of a caller is after those of all others. One who leaves by itself does not cause that. */
  #moveBack(caller: string): void {
    const waiters = this.#waiters.get(caller);
    if (waiters && this.#waiters.delete(caller)) this.#waiters.set(caller, waiters);
  }

  #refuseOne(): void {
    const [caller, waiters] = [...this.#waiters].reduce((most, other) =>
      other[1].size > most[1].size ? other : most,
    );
    const last = [...waiters].at(-1);
    if (last) this.#refuse(caller, last, 'Too much is asked for: too many wait already');
  }

  #refuse(caller: string, waiter: Waiter, message: string): void {
    this.#refused++;
    this.#turnAway(caller, waiter, new AppError('SERVICE_UNAVAILABLE', message));
    this.#moveBack(caller);
  }

  #turnAway(caller: string, waiter: Waiter, reason: unknown): void {
    this.#remove(caller, waiter);
    waiter.turnAway(reason);
  }
}

function oldestOf(waiters: ReadonlySet<Waiter>): Waiter {
  return [...waiters].reduce((oldest, one) => (one.requestedAt < oldest.requestedAt ? one : oldest));
}
