// Answers on their way to their readers: how much of them this process holds, and how fast each is taken.
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** A larger body goes out in slices of this size, so that it shows how fast its reader takes it. */
const SLICE_BYTES = 262_144;

const LOOK_EVERY_MS = 1000;

export interface OutgoingOptions {
  /** A reader that takes fewer bytes a second than this is slow. Default 16 KiB. */
  readonly minReadRate?: number;
  /** For how long, in milliseconds. Default 30 s. */
  readonly patienceMs?: number;
  /** With more unread bytes than this, no further heavy question begins. Default 256 MiB. */
  readonly maxUnreadBytes?: number;
}

interface Reader {
  readonly response: ServerResponse;
  /** Whether somebody waits for what it holds. */
  isWanted(): boolean;
  breakOff(): void;
  /** Until when it may take its time: reading puts this off. */
  deadline: number;
  taken: number;
}

/**
 * Watches readers. One that takes less than the set rate is broken off when others wait for what it holds. The clock
 * stands still while the reader waits for the service.
 */
export class Outgoing {
  readonly #options: Required<OutgoingOptions>;
  readonly #readers = new Set<Reader>();
  readonly #bodies = new Map<Buffer, number>();
  #unread = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ minReadRate = 16_384, patienceMs = 30_000, maxUnreadBytes = 268_435_456 }: OutgoingOptions) {
    this.#options = { minReadRate, patienceMs, maxUnreadBytes };
  }

  hasRoom(): boolean {
    return this.#unread < this.#options.maxUnreadBytes;
  }

  /** Watches the reader of an answer until it ends. */
  watch({ raw: response, request }: FastifyReply, isWanted: () => boolean): void {
    if (response.destroyed) return; // its reader has left: nothing will tell it again
    const breakOff = () => {
      request.log.warn({ req: request }, 'The answer was broken off: its reader was slow, and others waited');
      response.destroy();
    };
    const deadline = performance.now() + this.#options.patienceMs;
    const reader: Reader = { response, isWanted, breakOff, deadline, taken: 0 };
    this.#readers.add(reader);
    response.once('close', () => this.#readers.delete(reader));
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  /**
   * Sends large bodies in slices, and counts them until they are read.
   *
   * @param isAwaited whether somebody waits for room
   * @param freed told when there is room again
   */
  mount(app: FastifyInstance, isAwaited: () => boolean, freed: () => void): void {
    app.addHook('onSend', (_, reply, payload, done) => {
      if (!Buffer.isBuffer(payload) || payload.length <= SLICE_BYTES || reply.raw.destroyed)
        return done(null, payload);
      const { length } = payload;
      this.#hold(payload, 1);
      reply.raw.once('close', () => {
        this.#hold(payload, -1);
        freed();
      });
      this.watch(reply, () => isAwaited() && !this.hasRoom());
      reply.header('content-length', length);
      done(null, sliced(payload));
    });
  }

  /** Counts the readers of a body, which many may share; its bytes count once. */
  #hold(body: Buffer, more: 1 | -1): void {
    const readers = (this.#bodies.get(body) ?? 0) + more;
    if (readers === 0) this.#bodies.delete(body);
    else this.#bodies.set(body, readers);
    if (readers === (more === 1 ? 1 : 0)) this.#unread += more * body.length;
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
      if (now > reader.deadline && reader.isWanted()) reader.breakOff();
    }
    if (this.#readers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function sliced(body: Buffer): Readable {
  let at = 0;
  return new Readable({
    highWaterMark: 0, // one slice at a time, when the one before is gone
    read() {
      this.push(at < body.length ? body.subarray(at, at + SLICE_BYTES) : null);
      at += SLICE_BYTES;
    },
  });
}
