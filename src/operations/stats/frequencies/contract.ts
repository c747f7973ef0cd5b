// stats.frequencies: input and output.
import { z } from 'zod';
import { Exclusions, excluded_seconds } from '../../../contract/exclusions.ts';
import { count, instant, number } from '../../../contract/fields.ts';
import { historyFields } from '../../../contract/history.ts';
import { EXAMPLE_INTERVAL, fromTo, intervalEnds, parameters } from '../../../contract/parameters.ts';
import { Bucket, bucketChoice } from '../series/contract.ts';

/** The most buckets in an answer. Each has a count for every band. */
export const MAX_FREQUENCY_BUCKETS = 2000;
export const DEFAULT_FREQUENCY_BUCKETS = 200;

export const FrequenciesInput = parameters({
  ...fromTo,
  ...bucketChoice(MAX_FREQUENCY_BUCKETS, DEFAULT_FREQUENCY_BUCKETS),
  exclusions: Exclusions,
});

const Band = z
  .object({
    nominal_hz: number('Nominal midband frequency, Hz'),
    from_hz: number('Lower band edge (IEC 61260-1, 5.6), Hz'),
    to_hz: number('Upper band edge (IEC 61260-1, 5.6), Hz'),
  })
  .meta({ id: 'Band', description: 'A third-octave band of IEC 61260-1, base ten' });

export const FrequencyBucket = z
  .object({
    time: instant('Start of the bucket, in UTC'),
    point_count: count('Points, with or without a frequency'),
    counts: z.array(z.int().min(0)).meta({
      description:
        'Number of points whose dominant frequency lies in each band, in the order of `bands`. Empty if points of the bucket were removed',
    }),
  })
  .meta({ id: 'FrequencyBucket' });
export type FrequencyBucket = z.infer<typeof FrequencyBucket>;

export const FrequenciesOutput = z
  .object({
    ...intervalEnds,
    excluded_seconds,
    ...historyFields,
    bucket: Bucket.meta({ description: 'Length of each bucket' }),
    bands: z.array(Band).meta({ description: 'The third-octave bands from 100 Hz to 8 kHz, lowest first' }),
    buckets: z.array(FrequencyBucket).meta({
      description:
        'Every bucket of the interval, oldest first. The first and the last may extend beyond the interval, but cover only points in it',
    }),
  })
  .meta({
    id: 'Frequencies',
    description:
      'Point counts by time and by third-octave band of the dominant frequency. This is not a spectrum: only the dominant frequency of each window counts',
    examples: [
      {
        ...EXAMPLE_INTERVAL,
        excluded_seconds: 0,
        bucket: '1h',
        bands: [
          { nominal_hz: 100, from_hz: 89.1250938133746, to_hz: 112.20184543019636 },
          { nominal_hz: 125, from_hz: 112.20184543019636, to_hz: 141.25375446227545 },
        ],
        buckets: [{ time: '2026-01-01T00:00:00.000000Z', point_count: 36000, counts: [1200, 5400] }],
      },
    ],
  });
