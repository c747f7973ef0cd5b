// Live streams: send every new point once to every listener.
import { AppError } from '../errors.ts';
import { unlessAborted } from '../signal.ts';
import type { EventStream, Frame } from './frame.ts';
import { type Opening, openingOf, type Start } from './opening.ts';
import { framesOf, type Replay } from './replay.ts';
import { Tail, type TailOptions } from './tail.ts';

/** An event stream that also ends if its listener falls too far behind. */
export class LiveStream implements EventStream {
  readonly #tail: Tail;
  #replay: Replay | undefined;
  #next: number;
  #isClosed = false;
  #wake = () => {};
  #leave: () => void;

  constructor(tail: Tail, { next, replay }: Opening, leave: () => void) {
    this.#tail = tail;
    this.#replay = replay;
    this.#next = next;
    const deafen = tail.listen(() => this.#wake());
    this.#leave = () => {
      deafen();
      leave();
    };
  }

  /** Whether the stream still sends points from before it was opened. */
  get isReplaying(): boolean {
    return this.#replay !== undefined;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#leave();
    this.#replay = undefined;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Frame> {
    try {
      if (this.#replay)
        for await (const frame of framesOf(this.#replay, this.#tail.isStale)) {
          if (this.#isClosed) return;
          yield frame;
        }
      this.#replay = undefined; // frees its memory
      while (!this.#isClosed) {
        const frame = this.#tail.frame(this.#next);
        if (frame === null) return; // the listener reconnects, and gets missed points from the database
        if (frame) {
          this.#next++;
          yield frame;
        } else
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
      }
    } finally {
      this.close();
    }
  }
}

export class Live {
  readonly #options: TailOptions;
  readonly #streams = new Set<LiveStream>();
  #tail: Tail | undefined;
  /** Open streams, including streams that are still opening. */
  #listeners = 0;
  #isStopping = false;

  constructor(options: TailOptions) {
    this.#options = options;
  }

  /** The number of open streams. */
  get streams(): number {
    return this.#streams.size;
  }

  /** Whether the event with this id is still kept. If so, a stream can continue without a read. */
  canResume(lastEventId: string): boolean {
    return this.#tail?.after(lastEventId) !== undefined;
  }

  /**
   * @param signal aborts when the caller leaves, and stops reading
   * @throws AppError SERVICE_UNAVAILABLE if the database cannot be reached, or if the service stops; the reason of
   *   `signal` once it aborts
   */
  async open(start: Start, signal?: AbortSignal): Promise<LiveStream> {
    signal?.throwIfAborted();
    if (this.#isStopping) throw new AppError('SERVICE_UNAVAILABLE', 'The service is stopping');
    this.#tail ??= new Tail(this.#options);
    const tail = this.#tail;
    this.#listeners++;
    try {
      await unlessAborted(tail.begun, signal);
      const opening = await openingOf(tail, start, signal);
      signal?.throwIfAborted();
      if (this.#isStopping) throw new AppError('SERVICE_UNAVAILABLE', 'The service is stopping');
      const stream = new LiveStream(tail, opening, () => {
        this.#streams.delete(stream);
        this.#left(tail);
      });
      this.#streams.add(stream);
      return stream;
    } catch (error) {
      this.#left(tail);
      throw error;
    }
  }

  /** Ends all streams, and opens no more. */
  stop(): void {
    this.#isStopping = true;
    for (const stream of this.#streams) stream.close();
  }

  #left(tail: Tail): void {
    this.#listeners--;
    if (this.#listeners > 0) return;
    tail.end();
    if (this.#tail === tail) this.#tail = undefined;
  }
}
