// Live streams: send every new point once to every listener.
import { AppError } from '../errors.ts';
import { unlessAborted } from '../signal.ts';
import type { Frame } from './frame.ts';
import { type Opening, openingOf, type Start } from './opening.ts';
import { framesOf } from './replay.ts';
import { Tail, type TailOptions } from './tail.ts';

export class Live {
  /** The number of open streams, including streams that are still opening. */
  streams = 0;
  readonly #options: TailOptions;
  readonly #stopping = new AbortController();
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
    let isOpen = true;
    const leave = () => {
      if (isOpen) this.#left(tail);
      isOpen = false;
    };
    this.streams++;
    try {
      await unlessAborted(tail.begun, signal);
      const opening = await openingOf(tail, start, signal);
      signal.throwIfAborted();
      this.#assertNotStopping();
      return framesFrom(tail, opening, AbortSignal.any([signal, this.#stopping.signal]), leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Ends all streams, and opens no more. */
  stop(): void {
    this.#stopping.abort();
  }

  #assertNotStopping(): void {
    if (this.#stopping.signal.aborted) throw new AppError('SERVICE_UNAVAILABLE', 'The service is stopping');
  }

  #left(tail: Tail): void {
    this.streams--;
    if (this.streams > 0) return;
    tail.end();
    if (this.#tail === tail) this.#tail = undefined;
  }
}

/** @param leave called when the stream ends, whether anyone reads it or not */
function framesFrom(
  tail: Tail,
  opening: Opening,
  signal: AbortSignal,
  leave: () => void,
): AsyncGenerator<Frame> {
  let wake = () => {};
  const deafen = tail.listen(() => wake());
  const end = () => {
    opening.replay = undefined; // frees its memory
    deafen();
    leave();
    wake();
  };
  signal.addEventListener('abort', end, { once: true });
  return frames();

  async function* frames() {
    try {
      if (opening.replay)
        for await (const frame of framesOf(opening.replay, tail.isStale)) {
          if (signal.aborted) return;
          yield frame;
        }
      opening.replay = undefined;
      for (let { next } = opening; !signal.aborted; ) {
        const frame = tail.frame(next);
        if (frame === null) return; // the listener reconnects, and gets missed points from the database
        if (frame) {
          next++;
          yield frame;
        } else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      end();
    }
  }
}
