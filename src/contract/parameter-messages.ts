// The messages of bad input: each names the fault and the allowed values.

/** Part of each error that a shorter interval avoids. Clients search messages for these words. */
export const SHORTER_INTERVAL = 'the interval shorter';

/**
 * The error option of a schema. A parameter that a query string repeats arrives as an array.
 *
 * @param allowed the allowed values, such as `a whole number from 1 to 100`
 */
export function must(allowed: string) {
  return {
    error: ({ input }: { input?: unknown }) => {
      if (input === undefined) return `is required, and must be ${allowed}`;
      if (input === '') return `must not be empty, but ${allowed}`;
      return `must be ${Array.isArray(input) ? 'given once, as ' : ''}${allowed}`;
    },
  };
}
