// Turns: who works for long lets others in between.

/** How long a turn lasts at most, in milliseconds: whoever has it may be kept waiting by the server. */
const LONGEST_MS = 100;

/** @returns a function that waits for its caller's turn, first come, first served, and gives what ends it */
export function createTurns(): () => Promise<() => void> {
  let last: Promise<void> = Promise.resolve();
  return async () => {
    const before = last;
    let end = () => {};
    last = new Promise((resolve) => {
      end = resolve;
    });
    await before;
    const timer = setTimeout(end, LONGEST_MS);
    return () => {
      clearTimeout(timer);
      end();
    };
  };
}
