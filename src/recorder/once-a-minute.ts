// What is done or said at once, and then at most once in a while.

export const createOnceAMinute = (now?: () => number) => createOnceIn(60_000, now);

/**
 * @param now milliseconds that only go forward
 * @returns `isDue`, which takes note that it is done if so, and `again`, after which it is due at once
 */
export function createOnceIn(everyMs: number, now = () => performance.now()) {
  let doneAt = Number.NEGATIVE_INFINITY;
  return {
    isDue(): boolean {
      if (now() - doneAt < everyMs) return false;
      doneAt = now();
      return true;
    },
    again(): void {
      doneAt = Number.NEGATIVE_INFINITY;
    },
  };
}
