// How a bigint comes out of a row. Alone, so that the worker of the embedded database starts in a moment.

/** A bigint is a number where that is exact, else its digits. */
export function readBigint(text: string): number | string {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}
