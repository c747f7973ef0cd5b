// Slow readers: how many bytes wait for readers, and who takes them too slowly while others wait.
import type { ServerResponse } from 'node:http';

const LOOK_EVERY_MS = 1000;

export interface SlowReadersOptions {
  /** A reader that takes fewer bytes a second than this is slow. Default 16 KiB. */
  readonly minReadRate?: number;
  /** For how long, in milliseconds. Default 30 s. */
  readonly patienceMs?: number;
  /** With more unread bytes than this, no further heavy question begins. Default 256 MiB. */
  readonly maxUnreadBytes?: number;
}

/** Stops counting; idempotent. */
export type Release = () => void;

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
  readonly #onRoom: () => void;
  readonly #readers = new Set<Reader>();
  /** How many readers hold each buffer. */
  readonly #held = new Map<Buffer, number>();
  #unreadBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param onRoom called when there may be room again */
  constructor(
    { minReadRate = 16_384, patienceMs = 30_000, maxUnreadBytes = 268_435_456 }: SlowReadersOptions,
    onRoom: () => void,
  ) {
    this.#options = { minReadRate, patienceMs, maxUnreadBytes };
    this.#onRoom = onRoom;
  }

  hasRoom(): boolean {
    return this.#unreadBytes < this.#options.maxUnreadBytes;
  }

  /** Watches the reader of an answer until it ends. A slow one is broken off while `isWanted`. */
  watch(response: ServerResponse, log: Reader['log'], isWanted: () => boolean): void {
    if (response.destroyed) return; // its reader has left: nothing will tell it again
    const deadline = performance.now() + this.#options.patienceMs;
    const reader: Reader = { response, log, isWanted, deadline, taken: 0 };
    this.#readers.add(reader);
    response.once('close', () => this.#readers.delete(reader));
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  /** Counts buffers as unread. Many readers may hold one; its bytes count once. */
  hold(buffers: readonly Buffer[]): Release {
    for (const buffer of buffers) {
      const holders = this.#held.get(buffer) ?? 0;
      this.#held.set(buffer, holders + 1);
      if (holders === 0) this.#unreadBytes += buffer.length;
    }
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      for (const buffer of buffers) {
        const holders = this.#held.get(buffer) ?? 0;
        if (holders > 1) this.#held.set(buffer, holders - 1);
        else if (this.#held.delete(buffer)) this.#unreadBytes -= buffer.length;
      }
      this.#onRoom();
    };
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
