// audio.latest and audio.range: what goes in, what comes out.
import { z } from 'zod';
import { Instant } from './instant.ts';
import { Cursor, From, NextCursor, parameters, To, wholeNumber } from './parameters.ts';

export const Point = z
  .object({
    time: Instant.meta({ description: 'When the window was measured, UTC, to the microsecond' }),
    rms_db: z.number().min(-50).max(0).nullable().meta({
      description: 'RMS level in dB relative to digital full scale, -50 (floor) to 0; null when not measured',
    }),
    frequency_hz: z.int().min(100).max(8000).nullable().meta({
      description: 'Dominant frequency of the window, 100 to 8000 Hz; null when there is none',
    }),
    is_silence: z.boolean().meta({ description: 'The recorder judged the window silent' }),
  })
  .meta({ id: 'Point', description: 'One measured window' });
export type Point = z.infer<typeof Point>;

export const LatestInput = parameters({
  limit: wholeNumber({ min: 1, max: 10_000, default: 100, description: 'How many points at most' }),
}).prefault({});
export type LatestInput = z.output<typeof LatestInput>;

export const LatestOutput = z
  .object({ points: z.array(Point).meta({ description: 'Newest first' }) })
  .meta({ id: 'LatestPoints' });
export type LatestOutput = z.infer<typeof LatestOutput>;

export const RangeInput = parameters({
  from: From,
  to: To,
  limit: wholeNumber({ min: 1, max: 100_000, default: 10_000, description: 'How many points a page holds' }),
  cursor: Cursor,
});
export type RangeInput = z.output<typeof RangeInput>;

export const RangeOutput = z
  .object({
    from: Instant.meta({ description: 'Start of the interval, inclusive' }),
    to: Instant.meta({ description: 'End of the interval, exclusive' }),
    points: z.array(Point).meta({ description: 'Oldest first' }),
    next_cursor: NextCursor,
  })
  .meta({ id: 'PointRange' });
export type RangeOutput = z.infer<typeof RangeOutput>;
