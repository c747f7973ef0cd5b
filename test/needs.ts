// Skips tests that need a program this machine lacks, and keeps the reason for the end of the run.

declare module 'vitest' {
  interface TaskMeta {
    /** Everything that this machine lacks. */
    needs?: string;
  }
}

/**
 * Options for `describe` or `it`: skipped, with the reason, unless `found` is truthy.
 *
 * @example describe('The page', needs('Chromium', chromiumPath), () => { ... });
 */
export const needs = (what: string, found: unknown) => ({
  skip: !found,
  ...(!found && { meta: { needs: what } }),
});
