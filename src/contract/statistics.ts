// The statistics that a window and each bucket of a series have in common.
import { z } from 'zod';

export const level = (description: string) => z.number().nullable().meta({ description });

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
