// Parses a bigint from a row. A file of its own, so that the worker of the embedded database starts in a moment.

/** A bigint becomes a number if that is exact, otherwise its digits. */
export function readBigint(text: string): number | string {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}
