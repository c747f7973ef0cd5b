// The statistics of a window and of each bucket of a series.
import { z } from 'zod';
import { excluded_seconds } from './exclusions.ts';
import { count, figure, share } from './fields.ts';
import { historyFields } from './history.ts';
import { EXAMPLE_INTERVAL, intervalEnds } from './parameters.ts';
import { EXAMPLE_SCALE, LevelScale } from './periods.ts';

/** In longer intervals, minutes with points are counted instead of gaps: the gaps of ten years take seconds of processor time. */
export const MAX_GAP_DAYS = 366;

export const measuredInterval = { ...intervalEnds, excluded_seconds, ...historyFields, scale: LevelScale };
export const EXAMPLE_MEASURED_INTERVAL = { ...EXAMPLE_INTERVAL, excluded_seconds: 0, scale: EXAMPLE_SCALE };

export const leqLow = figure(
  'Lower bound of leq_db, dB. Levels at the floor (-50 when rounded to 0.1 dB) may have been lower, and count as zero energy here. Levels at the ceiling may have been higher, and so may the true Leq. Null if no level is above the floor',
);

/** Levels at the ends of the stored range. */
export const outOfRange = {
  under_range: count(
    'Number of levels at the floor (-50 dB when rounded to 0.1 dB). They may have been lower',
  ),
  over_range: count(
    'Number of levels at the ceiling (0 dB when rounded to 0.1 dB). They may have been higher',
  ),
};

/** Sound clipped before it was measured. `over_range` cannot show it. */
export const overloadFields = {
  overload_percent: share(
    'Share of points whose window was overloaded, percent. The sound was clipped before measurement, so the true level is higher. Counts cover, in full, each UTC minute that overlaps the interval. Null if no recorder counted overloads (counts_overload of a period), or if there are no points',
  ),
};

/** Without points, all except the counts are null. */
export const statistics = {
  point_count: count('Points, with or without a level'),
  avg_db: figure('Arithmetic mean of the levels, dB'),
  max_db: figure('Highest level, dB'),
  min_db: figure('Lowest level, dB'),
  leq_db: figure('Equivalent continuous level: 10·log10(mean(10^(rms_db/10))), the energy mean, dB'),
  silence_percent: share('Share of all points that are silent, percent'),
  dominant_frequency_hz: z.int().nullable().meta({
    description: 'The most frequent dominant frequency, Hz; if several tie, the lowest',
  }),
};

export const exceeded = (percent: number, name: string) =>
  figure(`Level exceeded ${percent} % of the time (${name}), to 0.1 dB`);

export const EXAMPLE_STATISTICS = {
  point_count: 36000,
  avg_db: -40.456733,
  max_db: -6.43,
  min_db: -50,
  leq_db: -30.750683,
  silence_percent: 35.1,
  dominant_frequency_hz: 440,
};
