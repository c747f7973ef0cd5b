// The waits before retries.

const [LEAST_WAIT_MS, MOST_WAIT_MS] = [1000, 30_000];

/** @returns a function for the next wait: 1 to 30 s, longer each time. A minute without a retry resets it */
export function createWaits(): () => number {
  let [tries, last] = [0, 0];
  return () => {
    const now = Date.now();
    tries = now - last > 2 * MOST_WAIT_MS ? 0 : tries + 1;
    last = now;
    return LEAST_WAIT_MS + Math.random() * Math.min(LEAST_WAIT_MS * 2 ** tries, MOST_WAIT_MS - LEAST_WAIT_MS);
  };
}
