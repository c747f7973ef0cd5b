// Overload: whether the process has more to do than it can, by the lateness of a timer and by its memory.
import { totalmem } from 'node:os';

export interface OverloadOptions {
  /** A mean lateness of the event loop above this, in milliseconds, is overload. */
  readonly maxEventLoopDelayMs?: number;
  /** Memory in use above this, in bytes, is overload. Default 80 % of what there is. */
  readonly maxMemoryBytes?: number;
  /** Over how long the lateness is averaged, in milliseconds. */
  readonly windowMs?: number;
}

export type Overload = ReturnType<typeof watchOverload>;

/** Ticks in a window, and how many punctual ones in a row end an overload: a stall is over when they come. */
const TICKS = 20;
const PUNCTUAL_TICKS = 3;

/**
 * Node's own monitor of the delay takes a fiftieth of the throughput of small answers; how late a timer is costs
 * nothing. The window is long, because one long statement of the embedded database is no overload.
 */
export function watchOverload({
  maxEventLoopDelayMs = 1000,
  maxMemoryBytes = availableMemory() * 0.8,
  windowMs = 5000,
}: OverloadOptions) {
  const tickMs = windowMs / TICKS;
  let isLate = false;
  let isFull = false;
  let punctual = 0;
  let [since, ticks, last] = [performance.now(), 0, performance.now()];
  const timer = setInterval(() => {
    const now = performance.now();
    punctual = now - last < 2 * tickMs ? punctual + 1 : 0;
    last = now;
    ticks++;
    if (now - since >= windowMs) {
      isLate = (now - since) / ticks - tickMs > maxEventLoopDelayMs;
      isFull = memoryInUse() > maxMemoryBytes;
      [since, ticks] = [now, 0];
    }
    if (punctual >= PUNCTUAL_TICKS) isLate = false;
  }, tickMs).unref();
  return { isOverloaded: () => isLate || isFull, close: () => clearInterval(timer) };
}

/** Without what is free within it: memory that was needed once may stay with the process for good. */
function memoryInUse(): number {
  const { heapTotal, external } = process.memoryUsage();
  return heapTotal + external;
}

/** What the process may use: the limit of its container, or the memory of the machine. */
function availableMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
