// What is done or said at once, and then at most once a minute.

const MINUTE_MS = 60_000;

/**
 * @param now milliseconds that only go forward
 * @returns `isDue`, which takes note that it is done if so, and `again`, after which it is due at once
 */
export function createOnceAMinute(now = () => performance.now()) {
  let doneAt = Number.NEGATIVE_INFINITY;
  return {
    isDue(): boolean {
      if (now() - doneAt < MINUTE_MS) return false;
      doneAt = now();
      return true;
    },
    again(): void {
      doneAt = Number.NEGATIVE_INFINITY;
    },
  };
}
