// Slow readers: cuts off callers that read an answer too slowly while others wait for what it holds.
import type { ServerResponse } from 'node:http';
import type { FairQueue } from './fair-queue.ts';

export interface SlowReaderOptions {
  /** A reader below this rate, in bytes per second, is slow. */
  readonly minReadRate?: number;
  /** How long a reader may be slow, and how often it is checked, in milliseconds. Default 30 s and 1 s. */
  readonly patienceMs?: number;
  readonly lookEveryMs?: number;
}

/** 16 KiB a second. A mobile connection in a bad place still reads faster. */
const MIN_READ_RATE = 16_384;

/**
 * Cuts off a reader that is slow while others wait in the queue. Time counts only while bytes wait for the reader.
 *
 * @param leaving aborts when the response has ended
 */
export function cutSlowReader(
  { raw: response, log }: { raw: ServerResponse; log: { warn(message: string): void } },
  queue: FairQueue,
  { minReadRate = MIN_READ_RATE, patienceMs = 30_000, lookEveryMs = 1000 }: SlowReaderOptions,
  leaving: AbortSignal,
): void {
  if (leaving.aborted) return;
  const { socket } = response.req; // a pipelined response has none of its own yet
  let [deadline, taken] = [performance.now() + patienceMs, socket.bytesWritten];
  const look = () => {
    const now = performance.now();
    const before = taken;
    taken = socket.bytesWritten;
    const earnedMs = ((taken - before) / minReadRate) * 1000;
    deadline = Math.min(response.writableLength > 0 ? deadline + earnedMs : Infinity, now + patienceMs);
    if (now <= deadline || queue.waiting === 0) return;
    log.warn('An answer was cut off: its client read too slowly while other requests waited');
    socket.destroy();
  };
  const timer = setInterval(look, lookEveryMs).unref();
  leaving.addEventListener('abort', () => clearInterval(timer));
}
