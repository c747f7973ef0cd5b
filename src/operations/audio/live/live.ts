// Live streams: send every new point once to every listener.
import { AppError } from '../../../errors.ts';
import { unlessAborted } from '../../../signal.ts';
import type { Frame } from './frame.ts';
import { type Opening, openingOf, type Start } from './opening.ts';
import { framesOf } from './replay.ts';
import { Tail, type TailOptions } from './tail.ts';

export class Live {
  /** The number of open streams, including streams that are still opening. */
  streams = 0;
  readonly #options: TailOptions;
  /** Functions that end the open streams when the service stops. */
  readonly #ends = new Set<() => void>();
  #isStopping = false;
  #tail: Tail | undefined;

  constructor(options: TailOptions) {
    this.#options = options;
  }

  /** Whether the event with this id is still kept. If so, a stream can continue without a read. */
  canResume(lastEventId: string): boolean {
    return this.#tail?.after(lastEventId) !== undefined;
  }

  /**
   * @param signal ends the stream, and stops reading. The stream also ends if its listener falls too far behind
   * @throws AppError SERVICE_UNAVAILABLE if the database cannot be reached, or if the service stops; the reason of
   *   `signal` once it aborts
   */
  async open(start: Start, signal: AbortSignal): Promise<AsyncIterable<Frame>> {
    signal.throwIfAborted();
    this.#assertNotStopping();
    this.#tail ??= new Tail(this.#options);
    const tail = this.#tail;
    this.streams++;
    try {
      await unlessAborted(tail.begun, signal);
      const opening = await openingOf(tail, start, signal);
      signal.throwIfAborted();
      this.#assertNotStopping();
      return this.#framesFrom(tail, opening, signal);
    } catch (error) {
      this.#left(tail);
      throw error;
    }
  }

  stop(): void {
    this.#isStopping = true;
    for (const end of this.#ends) end();
  }

  #assertNotStopping(): void {
    if (this.#isStopping) throw new AppError('SERVICE_UNAVAILABLE', 'The service is stopping');
  }

  #left(tail: Tail): void {
    this.streams--;
    if (this.streams > 0) return;
    tail.end();
    if (this.#tail === tail) this.#tail = undefined;
  }

  /** The stream ends at its signal, whether anyone reads it or not. */
  #framesFrom(tail: Tail, { next: number, replay }: Opening, signal: AbortSignal): AsyncIterable<Frame> {
    let replayed = replay && framesOf(replay, tail.isStale);
    let wake = () => {};
    const deafen = tail.listen(() => wake());
    const end = () => {
      if (!this.#ends.delete(end)) return;
      replayed = undefined; // frees its memory
      deafen();
      this.#left(tail);
      wake();
    };
    this.#ends.add(end);
    signal.addEventListener('abort', end, { once: true });
    // an async generator takes twice the processor time, and a thousand listeners get each frame
    const next = async (): Promise<IteratorResult<Frame, void>> => {
      const past = await replayed?.next();
      if (past && !past.done) return past;
      replayed = undefined;
      while (this.#ends.has(end)) {
        const frame = tail.frame(number);
        if (frame) {
          number++;
          return { value: frame };
        }
        if (frame === null)
          end(); // the listener reconnects, and gets missed points from the database
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
      return { done: true, value: undefined };
    };
    const leave = async () => {
      end();
      return { done: true, value: undefined } as const;
    };
    return { [Symbol.asyncIterator]: () => ({ next, return: leave }) };
  }
}
