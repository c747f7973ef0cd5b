// The statistics that a window and each bucket of a series have in common.
import { z } from 'zod';

export const level = (description: string) => z.number().nullable().meta({ description });

/** Beside `leq_db`: the other end of where the true one lies. */
export const leqLow = level(
  'The lowest that leq_db can truly be: the same with the levels at the floor (-50 when rounded to 0.1 dB), which may have been any lower, counted as nothing, dB. Levels at the ceiling may have been higher, and the true Leq with them. Null if no level is above the floor',
);

/** Levels at the ends of what is stored. */
export const outOfRange = {
  under_range: z.int().min(0).meta({
    description: 'Levels at the floor, -50 dB when rounded to 0.1 dB: they may have been lower',
  }),
  over_range: z.int().min(0).meta({
    description: 'Levels at the ceiling, 0 dB when rounded to 0.1 dB: they may have been higher',
  }),
};

/** Of sound that was clipped before it was measured: `over_range` cannot show that. */
export const overload = {
  overload_percent: z.number().min(0).max(100).nullable().meta({
    description:
      'Share of the points whose window was overloaded, percent: the sound was clipped before it was measured, so the true level is higher. Both are counted in the whole minutes (UTC) that this time touches. Null if no recorder counted such windows (counts_overload of a period), or without points',
  }),
};

/** All but the count are null where there is nothing to measure. */
export const statistics = {
  point_count: z.int().min(0).meta({ description: 'Points, with a level or without' }),
  avg_db: level('Arithmetic mean of the levels, dB'),
  max_db: level('Highest level, dB'),
  min_db: level('Lowest level, dB'),
  leq_db: level('Equivalent continuous level: 10·log10(mean(10^(rms_db/10))), the energy mean, dB'),
  silence_percent: z.number().min(0).max(100).nullable().meta({
    description: 'Share of all points that are silent, percent',
  }),
  dominant_frequency_hz: z.int().nullable().meta({
    description: 'Most frequent dominant frequency, the lowest among equals, Hz',
  }),
};

export const exceeded = (percent: number, name: string) =>
  level(`Level exceeded ${percent} % of the time (${name}), to 0.1 dB`);

/** The statistics of the example in the document. */
export const EXAMPLE_STATISTICS = {
  point_count: 36000,
  avg_db: -40.456733,
  max_db: -6.43,
  min_db: -50,
  leq_db: -30.750683,
  silence_percent: 35.1,
  dominant_frequency_hz: 440,
};
