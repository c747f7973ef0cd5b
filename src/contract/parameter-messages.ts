// The messages of bad input: what is wrong with a parameter, and always what is allowed.

/** In the message of each error that a shorter interval avoids. Clients look for these words. */
export const SHORTER_INTERVAL = 'the interval shorter';

/**
 * The error option of a schema. A query string that gives a parameter twice arrives as an array.
 *
 * @param allowed what is allowed, such as `a whole number from 1 to 100`
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
