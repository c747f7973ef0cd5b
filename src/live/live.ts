// Live: every new point to everybody who listens, once.
import { AppError } from '../errors.ts';
import { type Signal, unlessAborted } from '../signal.ts';
import type { Frame } from './frame.ts';
import { type Opening, openingOf, type Start } from './opening.ts';
import { framesOf, type Replay } from './replay.ts';
import { Tail, type TailOptions } from './tail.ts';

/** What one listener is sent. Ends when it is closed, when the service stops, and when its listener is too slow. */
export class LiveStream implements AsyncIterable<Frame> {
  /** Told when it is closed. */
  onClosed = () => {};
  /** Told when `unread` is empty again: its replay was sent, or it is closed. */
  onReleased = () => {};
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

  /** What it holds until its replay is sent. Streams that begin at the same point share these buffers. */
  get unread(): readonly Buffer[] {
    return this.#replay ? [this.#replay.view.rows, this.#replay.view.sums] : [];
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#leave();
    this.#release();
    this.#wake();
    this.onClosed();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Frame> {
    try {
      if (this.#replay)
        for await (const frame of framesOf(this.#replay, this.#tail.isStale)) {
          if (this.#isClosed) return;
          yield frame;
        }
      this.#release();
      while (!this.#isClosed) {
        const frame = this.#tail.frame(this.#next);
        if (frame === null) return; // it comes back, and gets what it missed from the database
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

  #release(): void {
    if (!this.#replay) return;
    this.#replay = undefined;
    this.onReleased();
  }
}

export class Live {
  readonly #options: TailOptions;
  readonly #streams = new Set<LiveStream>();
  #tail: Tail | undefined;
  /** Those who listen, and those who are about to. */
  #listeners = 0;
  #isStopping = false;

  constructor(options: TailOptions) {
    this.#options = options;
  }

  /** How many streams are open. */
  get streams(): number {
    return this.#streams.size;
  }

  /** Whether a stream goes on after an event without a read: who comes back with such an id need not wait. */
  canResume(lastEventId: string): boolean {
    return this.#tail?.after(lastEventId) !== undefined;
  }

  /**
   * @param signal of the caller: nothing is read or kept for one who has left
   * @throws AppError SERVICE_UNAVAILABLE where the database cannot be reached, or the service stops; the reason of
   *   `signal` once that aborts
   */
  async open(start: Start, signal?: Signal): Promise<LiveStream> {
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
