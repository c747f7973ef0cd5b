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

/**
 * Warns of windows that are spoilt.
 *
 * @param first the warning at the first of them
 * @param what is said of more of them, such as `clipped`
 * @param warn shows a line to the user
 * @param now milliseconds that only go forward
 */
export function createCountedWarning(
  first: string,
  what: string,
  warn: (line: string) => void,
  now: () => number,
) {
  let windows = 0;
  let spoilt = 0;
  let said = 0;
  const saying = createOnceAMinute(now);
  const share = () => `${spoilt.toLocaleString('en')} of ${windows.toLocaleString('en')}`;
  return {
    /** Takes note of a window. */
    add(isSpoilt: boolean): void {
      windows += 1;
      if (!isSpoilt) return;
      spoilt += 1;
      if (!saying.isDue()) return;
      const more = (spoilt - said).toLocaleString('en');
      warn(`Warning: ${said === 0 ? first : `${what} in ${more} more windows: ${share()} so far.`}`);
      said = spoilt;
    },
    /** How many are spoilt, such as `12 of 3,000 windows`; undefined if none is. */
    counted: () => (spoilt === 0 ? undefined : `${share()} windows`),
  };
}
