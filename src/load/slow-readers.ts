// Answers on their way to their readers: how much of them this process holds, and how fast each is taken.
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Json, lengthOf } from '../http/json.ts';
import type { Parts } from '../points/serialise.ts';

const LOOK_EVERY_MS = 1000;

export interface OutgoingOptions {
  /** A reader that takes fewer bytes a second than this is slow. Default 16 KiB. */
  readonly minReadRate?: number;
  /** For how long, in milliseconds. Default 30 s. */
  readonly patienceMs?: number;
  /** With more unread bytes than this, no further heavy question begins. Default 256 MiB. */
  readonly maxUnreadBytes?: number;
}

/** Counts them no longer; only the first call does. */
export type Release = () => void;

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
  /** How often each part is held. */
  readonly #held = new Map<Buffer, number>();
  #unread = 0;
  #isAwaited = () => false;
  #freed = () => {};
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

  /** Whether others wait for room that there is not. */
  isShort(): boolean {
    return this.#isAwaited() && !this.hasRoom();
  }

  /**
   * Sends bodies that have parts, one part when the one before is gone: that shows how fast a reader takes them. All of
   * them count until the answer ends.
   *
   * @param isAwaited whether somebody waits for room
   * @param freed told when there is room again
   */
  mount(app: FastifyInstance, isAwaited: () => boolean, freed: () => void): void {
    this.#isAwaited = isAwaited;
    this.#freed = freed;
    app.addHook('onSend', (_, reply, payload, done) => {
      if (!Array.isArray(payload)) return done(null, payload);
      const parts: Parts = payload;
      reply.header('content-length', lengthOf(parts));
      if (!reply.raw.destroyed) reply.raw.once('close', this.hold(parts));
      this.watch(reply, () => this.isShort());
      done(null, Readable.from(parts, { highWaterMark: 0 }));
    });
  }

  /** Counts parts that this process has for a reader. Many readers may share them; their bytes count once. */
  hold(parts: Parts): Release {
    for (const part of parts) {
      const holders = this.#held.get(part) ?? 0;
      this.#held.set(part, holders + 1);
      if (holders === 0) this.#unread += part.length;
    }
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      for (const part of parts) {
        const holders = this.#held.get(part) ?? 0;
        if (holders > 1) this.#held.set(part, holders - 1);
        else if (this.#held.delete(part)) this.#unread -= part.length;
      }
      this.#freed();
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
      if (now > reader.deadline && reader.isWanted()) reader.breakOff();
    }
    if (this.#readers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** Sends a body as it is: a list is one that has parts, and nothing for Fastify to serialise. */
export function sendBody(reply: FastifyReply, body: Json): FastifyReply {
  return (Array.isArray(body) ? reply.serializer((parts) => parts) : reply).send(body);
}
