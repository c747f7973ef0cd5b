// Parses a bigint from a row. Imports nothing, so that the worker of the embedded database starts fast.

/** @returns a number if that is exact; otherwise the digits */
export function readBigint(text: string): number | string {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}
