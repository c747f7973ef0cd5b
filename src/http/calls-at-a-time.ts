// Runs some calls of a request at a time; the others begin in their order.

/** How many calls of a request are answered at a time, streamed or not. */
const CALLS_AT_A_TIME = 4;

export function createTurns() {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <Value>(run: () => Promise<Value>): Promise<Value> => {
    if (running < CALLS_AT_A_TIME) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
