// The one queue for turns of the event loop: long work is done piece by piece, and a short question waits for one
// piece at most.

const waiting: (() => void)[] = [];

/**
 * Waits for the turn of the next piece of long work. One piece of all such work begins in each turn of the event
 * loop: with a turn each, fifty exports together would hold up everybody else fifty times as long.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(giveTurn);
  });
}

function giveTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(giveTurn);
}
