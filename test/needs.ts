// What a test needs of this machine, so that the end of the run can report why the test was skipped.

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
