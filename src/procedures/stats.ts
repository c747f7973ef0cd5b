// stats.*: validate, ask one query, answer.
import type { z } from 'zod';
import { BANDS } from '../contract/bands.ts';
import { DaysInput, DaysOutput, MAX_DAYS } from '../contract/days.ts';
import { DistributionInput, DistributionOutput } from '../contract/distribution.ts';
import {
  DEFAULT_FREQUENCY_BUCKETS,
  FrequenciesInput,
  FrequenciesOutput,
  MAX_FREQUENCY_BUCKETS,
} from '../contract/frequencies.ts';
import { QualityInput, QualityOutput } from '../contract/quality.ts';
import {
  BUCKET_SECONDS,
  DEFAULT_BUCKETS,
  MAX_BUCKETS,
  SeriesInput,
  SeriesOutput,
} from '../contract/series.ts';
import { DEFAULT_PERIOD, PERIOD_SECONDS, SummaryInput, SummaryOutput } from '../contract/summary.ts';
import { badParameter } from '../errors.ts';
import { coalesced } from '../load/shared-answers.ts';
import { days } from '../queries/statistics/days.ts';
import { distribution } from '../queries/statistics/distribution.ts';
import { frequencies } from '../queries/statistics/frequencies.ts';
import { quality } from '../queries/statistics/quality.ts';
import { series } from '../queries/statistics/series.ts';
import { summary } from '../queries/statistics/summary.ts';
import { chooseBucket } from './bucket.ts';
import { readInstant, readInterval, windowBefore } from './interval-and-cursor.ts';
import { localDays } from './local-days.ts';
import { declared, operation, procedure, router } from './trpc.ts';

/** What a recorder that writes often stores. */
const POINTS_A_SECOND = 10;

/** @throws AppError BAD_REQUEST where both `period` and `from` are given */
function readWindow({ period, from, to }: z.output<typeof SummaryInput>, now: string) {
  if (from === undefined) {
    const length = period ?? DEFAULT_PERIOD;
    return { period: length, ...windowBefore(readInstant('to', to, now), PERIOD_SECONDS[length]) };
  }
  if (period !== undefined) throw badParameter('period', 'must not be given together with from');
  return { period: null, ...readInterval({ from, to }, now) };
}

export const stats = router({
  summary: procedure
    .meta(
      operation({
        path: '/stats/summary',
        tag: 'stats',
        summary: 'Statistics of a window',
        description:
          'Exact statistics of the window [to - period, to), or of [from, to). An empty window has point_count 0 and null elsewhere.',
        cache: 'revalidated',
        points: ({ period = DEFAULT_PERIOD, from }: z.output<typeof SummaryInput>) =>
          from === undefined ? PERIOD_SECONDS[period] * POINTS_A_SECOND : Number.POSITIVE_INFINITY,
      }),
    )
    .input(SummaryInput)
    .output(declared(SummaryOutput))
    .query(
      coalesced(async ({ ctx, input }) => {
        const { period, ...window } = readWindow(input, ctx.now);
        return { period, ...window, ...(await summary(ctx, window)) };
      }),
    ),

  series: procedure
    .meta(
      operation({
        path: '/stats/series',
        tag: 'stats',
        summary: 'Statistics of an interval, bucket by bucket',
        description:
          'What a chart needs: one entry for each bucket, also where it holds no points. Buckets are aligned to UTC.',
        cache: 'revalidated',
        points: () => Number.POSITIVE_INFINITY,
      }),
    )
    .input(SeriesInput)
    .output(declared(SeriesOutput))
    .query(
      coalesced(async ({ ctx, input }) => {
        const interval = readInterval(input, ctx.now);
        const bucket = chooseBucket(interval, input, { max: MAX_BUCKETS, preset: DEFAULT_BUCKETS });
        return { ...interval, bucket, buckets: await series(ctx, interval, BUCKET_SECONDS[bucket]) };
      }),
    ),

  distribution: procedure
    .meta(
      operation({
        path: '/stats/distribution',
        tag: 'stats',
        summary: 'How the levels of an interval are distributed',
        description:
          'Counts by classes of levels, and the share of the levels that reach each: L_N as a curve.',
        cache: 'revalidated',
        points: () => Number.POSITIVE_INFINITY,
      }),
    )
    .input(DistributionInput)
    .output(declared(DistributionOutput))
    .query(
      coalesced(async ({ ctx, input }) => {
        const interval = readInterval(input, ctx.now);
        return { ...interval, step_db: input.step, ...(await distribution(ctx, interval, input.step)) };
      }),
    ),

  frequencies: procedure
    .meta(
      operation({
        path: '/stats/frequencies',
        tag: 'stats',
        summary: 'Dominant frequencies over time',
        description:
          'Points by time and by the third-octave band of their dominant frequency: the matrix of a heat map. It is no spectrum.',
        cache: 'revalidated',
        points: () => Number.POSITIVE_INFINITY,
      }),
    )
    .input(FrequenciesInput)
    .output(declared(FrequenciesOutput))
    .query(
      coalesced(async ({ ctx, input }) => {
        const interval = readInterval(input, ctx.now);
        const limits = { max: MAX_FREQUENCY_BUCKETS, preset: DEFAULT_FREQUENCY_BUCKETS };
        const bucket = chooseBucket(interval, input, limits);
        const buckets = await frequencies(ctx, interval, BUCKET_SECONDS[bucket]);
        return { ...interval, bucket, bands: BANDS, buckets };
      }),
    ),

  days: procedure
    .meta(
      operation({
        path: '/stats/days',
        tag: 'stats',
        summary: 'Noise indicators by local day',
        description:
          'Lday, Levening, Lnight and Lden of Directive 2002/49/EC for each day of a time zone, and of the whole interval.',
        cache: 'revalidated',
        points: () => Number.POSITIVE_INFINITY,
      }),
    )
    .input(DaysInput)
    .output(declared(DaysOutput))
    .query(
      coalesced(async ({ ctx, input }) => {
        const { time_zone, day_start, evening_start, night_start } = input;
        const interval = readInterval(input, ctx.now);
        const hours = { day_start, evening_start, night_start };
        const local = localDays(interval, time_zone, hours, MAX_DAYS);
        const nominal = [
          evening_start - day_start,
          night_start - evening_start,
          24 - night_start + day_start,
        ] as const;
        return { ...interval, time_zone, ...hours, ...(await days(ctx, interval, local, nominal)) };
      }),
    ),

  quality: procedure
    .meta(
      operation({
        path: '/stats/quality',
        tag: 'stats',
        summary: 'Whether the microphone was there',
        description:
          'Gaps and coverage of an interval, the shares of points without a level, at the floor and silent, and the age of the newest point.',
        cache: 'revalidated',
        points: () => Number.POSITIVE_INFINITY,
      }),
    )
    .input(QualityInput)
    .output(declared(QualityOutput))
    .query(
      coalesced(async ({ ctx, input }) => {
        const interval = readInterval(input, ctx.now);
        return { ...interval, ...(await quality(ctx, interval, ctx.now, input.min_gap_seconds)) };
      }),
    ),
});
