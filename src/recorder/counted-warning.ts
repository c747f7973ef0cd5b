// Warns of windows that are spoilt: at the first, and at most once a minute.
import { createOnceAMinute } from './once-a-minute.ts';

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
  const saying = createOnceAMinute(now);
  const share = () => `${spoilt.toLocaleString('en')} of ${windows.toLocaleString('en')}`;
  return {
    add(isSpoilt) {
      windows += 1;
      if (!isSpoilt) return;
      spoilt += 1;
      if (!saying.isDue()) return;
      const more = (spoilt - said).toLocaleString('en');
      warn(`Warning: ${said === 0 ? first : `${what} in ${more} more windows: ${share()} so far.`}`);
      said = spoilt;
    },
    counted: () => (spoilt === 0 ? undefined : `${share()} windows`),
  };
}
