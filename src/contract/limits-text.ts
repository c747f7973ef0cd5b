// Limits as text. Without a schema, because the page imports it.
import type { Limit } from './limits.ts';

/** @returns the text from which `parseLimits` reads the same limits */
export const limitsText = (limits: readonly Limit[]): string =>
  limits
    .map(({ start, end, limit_db, weighting, penalty_db, max_limit_db, assess }) =>
      [
        `${start}-${end}=${limit_db}${weighting === 'A' ? '' : weighting}`,
        ...(penalty_db > 0 ? [penalty_db] : []),
        ...(max_limit_db === null ? [] : [`max${max_limit_db}`]),
        ...(assess === null ? [] : [assess]),
      ].join(':'),
    )
    .join(',');
