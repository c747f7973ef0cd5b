// Places: so much work of a kind runs at a time. The rest waits its turn, fairly by caller.
import { AppError } from '../errors.ts';
import type { Signal } from '../signal.ts';

export interface PlacesOptions {
  /** How many there are. */
  readonly size: number;
  /** How many of them one caller may have. All by default. */
  readonly perCaller?: number;
  /** How many may wait. */
  readonly maxWaiting: number;
  /** How long one may wait, in milliseconds. */
  readonly maxWaitMs: number;
  /** Whether another place may be given. After a no, `admit` must be called when that changes. */
  readonly hasRoom?: () => boolean;
}

/** Gives a place back; only the first call counts. */
export type Leave = () => void;

interface Waiting {
  enter(): void;
  turnAway(reason: unknown): void;
}

/**
 * Who has the fewest places is next, and among equals who waits longest. Where too many wait, the last of whoever
 * has the most waiting is refused: a caller that floods the queue crowds out itself.
 */
export class Places {
  /** Told how long each that entered had waited, in milliseconds. */
  onEntered?: (waitedMs: number) => void;
  readonly #options: PlacesOptions;
  /** By caller. */
  readonly #taken = new Map<string, number>();
  /** By caller, in the order of their turns. */
  readonly #queues = new Map<string, Waiting[]>();
  #running = 0;
  #waiting = 0;
  #refused = 0;

  constructor(options: PlacesOptions) {
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

  /**
   * @param signal gives up waiting; has no effect afterwards
   * @throws AppError SERVICE_UNAVAILABLE where too many wait, or no place became free in time
   */
  enter(caller: string, signal?: Signal): Promise<Leave> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const { maxWaiting, maxWaitMs } = this.#options;
      const since = this.onEntered && performance.now();
      const settled = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.#waiting--;
      };
      const waiting: Waiting = {
        enter: () => {
          settled();
          if (since !== undefined) this.onEntered?.(performance.now() - since);
          resolve(this.#take(caller));
        },
        turnAway: (reason) => {
          settled();
          reject(reason);
        },
      };
      const abort = () => this.#turnAway(caller, waiting, signal?.reason);
      const late = () =>
        this.#refuse(caller, waiting, 'Too much is asked for: its turn did not come in time');
      const timer = setTimeout(late, maxWaitMs);
      signal?.addEventListener('abort', abort);
      const queue = this.#queues.get(caller);
      if (queue) queue.push(waiting);
      else this.#queues.set(caller, [waiting]);
      this.#waiting++;
      this.admit();
      if (this.#waiting > maxWaiting) this.#refuseOne();
    });
  }

  /** Gives the places that are free to those who wait. */
  admit(): void {
    const { size, perCaller = size, hasRoom } = this.#options;
    while (this.#waiting > 0 && this.#running < size && (hasRoom?.() ?? true)) {
      let next: string | undefined;
      let fewest = perCaller;
      for (const caller of this.#queues.keys()) {
        const taken = this.#taken.get(caller) ?? 0;
        if (taken < fewest) [next, fewest] = [caller, taken];
      }
      const waiting = next !== undefined && this.#queues.get(next)?.[0];
      if (next === undefined || !waiting) return;
      this.#remove(next, waiting);
      waiting.enter();
    }
  }

  #take(caller: string): Leave {
    this.#running++;
    this.#taken.set(caller, (this.#taken.get(caller) ?? 0) + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#running--;
      const left = (this.#taken.get(caller) ?? 0) - 1;
      if (left > 0) this.#taken.set(caller, left);
      else this.#taken.delete(caller);
      this.admit();
    };
  }

  /** Takes one out of the queue of its caller, whose next turn is after all others'. */
  #remove(caller: string, waiting: Waiting): void {
    const queue = this.#queues.get(caller)?.filter((other) => other !== waiting) ?? [];
    this.#queues.delete(caller);
    if (queue.length > 0) this.#queues.set(caller, queue);
  }

  #refuseOne(): void {
    const [caller, queue] = [...this.#queues].reduce((most, other) =>
      other[1].length > most[1].length ? other : most,
    );
    const last = queue.at(-1);
    if (last) this.#refuse(caller, last, 'Too much is asked for: too many wait already');
  }

  #refuse(caller: string, waiting: Waiting, message: string): void {
    this.#refused++;
    this.#turnAway(caller, waiting, new AppError('SERVICE_UNAVAILABLE', message));
  }

  #turnAway(caller: string, waiting: Waiting, reason: unknown): void {
    this.#remove(caller, waiting);
    waiting.turnAway(reason);
  }
}
