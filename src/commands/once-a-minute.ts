// Limits how often something is done or printed: immediately the first time, then at most once per interval.

export const createOnceAMinute = (now?: () => number) => createOnceIn(60_000, now);

/**
 * @param now a monotonic clock, in milliseconds
 * @returns `isDue`, which restarts the wait whenever it returns true, and `again`, which makes it due at once
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
 * Counts and warns of spoilt windows.
 *
 * @param first the first warning
 * @param what describes the windows in later warnings, such as `clipped`
 * @param warn prints a line for the user
 * @param now a monotonic clock, in milliseconds
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
    add(isSpoilt: boolean): void {
      windows += 1;
      if (!isSpoilt) return;
      spoilt += 1;
      if (!saying.isDue()) return;
      const more = (spoilt - said).toLocaleString('en');
      warn(`Warning: ${said === 0 ? first : `${what} in ${more} more windows: ${share()} so far.`}`);
      said = spoilt;
    },
    /** The count so far, such as `12 of 3,000 windows`; undefined if it is zero. */
    counted: () => (spoilt === 0 ? undefined : `${share()} windows`),
  };
}
