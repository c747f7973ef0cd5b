// Slow readers: who takes an answer too slowly while others wait.
import type { ServerResponse } from 'node:http';

export interface SlowReadersOptions {
  /** A reader that takes fewer bytes a second than this is slow. Default 16 KiB. */
  readonly minReadRate?: number;
  /** For how long, in milliseconds. Default 30 s. */
  readonly patienceMs?: number;
  /** How often readers are looked at, in milliseconds. Default 1 s. */
  readonly lookEveryMs?: number;
}

interface Reader {
  readonly response: ServerResponse;
  readonly log: { warn(message: string): void };
  /** Whether somebody waits for what it holds. */
  isWanted(): boolean;
  /** Until when it may take its time: reading puts this off. */
  deadline: number;
  taken: number;
}

/** Only time in which bytes wait for a reader counts against it. */
export class SlowReaders {
  readonly #options: Required<SlowReadersOptions>;
  readonly #readers = new Set<Reader>();
  #timer: NodeJS.Timeout | undefined;

  constructor({ minReadRate = 16_384, patienceMs = 30_000, lookEveryMs = 1000 }: SlowReadersOptions) {
    this.#options = { minReadRate, patienceMs, lookEveryMs };
  }

  /** Watches the reader of an answer until it ends. A slow one is broken off while `isWanted`. */
  watch(response: ServerResponse, log: Reader['log'], isWanted: () => boolean): void {
    if (response.destroyed) return; // its reader has left: nothing will tell it again
    const deadline = performance.now() + this.#options.patienceMs;
    const reader: Reader = { response, log, isWanted, deadline, taken: 0 };
    this.#readers.add(reader);
    response.once('close', () => this.#readers.delete(reader));
    this.#timer ??= setInterval(() => this.#look(), this.#options.lookEveryMs).unref();
  }

  #look(): void {
    const { minReadRate, patienceMs } = this.#options;
    const now = performance.now();
    for (const reader of this.#readers) {
      const { response } = reader;
      const taken = response.socket?.bytesWritten ?? 0;
      const earned = ((taken - reader.taken) / minReadRate) * 1000;
      const isBehind = response.writableNeedDrain;
      reader.deadline = isBehind ? Math.min(reader.deadline + earned, now + patienceMs) : now + patienceMs;
      reader.taken = taken;
      if (now <= reader.deadline || !reader.isWanted()) continue;
      reader.log.warn('The answer was broken off: its reader was slow, and others waited');
      response.destroy();
    }
    if (this.#readers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
