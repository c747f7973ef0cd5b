// Warns of windows that are spoilt: at the first, and at most once a minute.

const SAY_EVERY_MS = 60_000;

export interface CountedWarning {
  /** Takes note of a window. */
  add(isSpoilt: boolean): void;
  /** How many are spoilt, such as `12 of 3,000 windows`; undefined where none is. */
  counted(): string | undefined;
}

/**
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
): CountedWarning {
  let windows = 0;
  let spoilt = 0;
  let said = 0;
  let saidAt = Number.NEGATIVE_INFINITY;
  const share = () => `${spoilt.toLocaleString('en')} of ${windows.toLocaleString('en')}`;
  return {
    add(isSpoilt) {
      windows += 1;
      if (!isSpoilt) return;
      spoilt += 1;
      if (now() - saidAt < SAY_EVERY_MS) return;
      const more = (spoilt - said).toLocaleString('en');
      warn(`Warning: ${said === 0 ? first : `${what} in ${more} more windows: ${share()} so far.`}`);
      said = spoilt;
      saidAt = now();
    },
    counted: () => (spoilt === 0 ? undefined : `${share()} windows`),
  };
}
