// The fields of answers that touch history: minutes whose points were removed.
import { z } from 'zod';
import { instant } from './fields.ts';

/** In answers that list points. Left out if the interval touches no history. */
export const history_until = instant(
  'End of the newest minute in the interval whose points were removed (RAW_RETENTION). Only the sums of such minutes are left. Left out if there is none',
).exactOptional();

/** Left out if the interval touches no history. */
export const historyFields = {
  history_until,
  levels_unavailable: z.literal(true).exactOptional().meta({
    description:
      'True if history_until is given: what cannot be computed from sums of minutes is null, or an empty list: levels exceeded (L_N), dominant frequencies, bands, the distribution of levels, and noise events. Searches find events only among the points that are left',
  }),
};
