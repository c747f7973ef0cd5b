// Rate limit: how often each caller asks in a minute.

const WINDOW_MS = 60_000;

/**
 * One window for all callers, so that nothing is kept of those of the minute before; @fastify/rate-limit took a
 * fifteenth of the throughput.
 *
 * @returns counts calls of a caller, and says what is left
 */
export function createRateLimit(limit: number) {
  const counts = new Map<string, number>();
  let end = 0;
  return (caller: string, calls: number) => {
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
      resetSeconds: Math.ceil((end - now) / 1000), // until the count begins anew
    };
  };
}
