// Slow readers: cuts off exports that are read too slowly while others wait for a slot.
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

/** Cuts off an export if its reader is slow while others wait. Time counts only while bytes wait for the reader. */
export function cutSlowReader(
  { raw: response, log }: { raw: ServerResponse; log: { warn(message: string): void } },
  { exports, slowReaders }: { exports: FairQueue; slowReaders: SlowReaderOptions },
): void {
  const { minReadRate = MIN_READ_RATE, patienceMs = 30_000, lookEveryMs = 1000 } = slowReaders;
  if (response.destroyed) return; // its reader has left, and `close` does not fire again
  let [deadline, taken] = [performance.now() + patienceMs, 0];
  const look = () => {
    const now = performance.now();
    const before = taken;
    taken = response.socket?.bytesWritten ?? 0;
    const earnedMs = ((taken - before) / minReadRate) * 1000;
    deadline = Math.min(response.writableNeedDrain ? deadline + earnedMs : Infinity, now + patienceMs);
    if (now <= deadline || exports.waiting === 0) return;
    log.warn('The export was cut off: its client read too slowly while other exports waited');
    response.destroy();
  };
  const timer = setInterval(look, lookEveryMs).unref();
  response.once('close', () => clearInterval(timer));
}
