// stats.*: validate, ask one query, answer.
import type { z } from 'zod';
import { BUCKET_SECONDS, SeriesInput, SeriesOutput } from '../contract/series.ts';
import { PERIOD_SECONDS, SummaryInput, SummaryOutput } from '../contract/summary.ts';
import { series } from '../queries/series.ts';
import { summary } from '../queries/summary.ts';
import { chooseBucket } from './bucket.ts';
import { coalesced } from './coalesce.ts';
import { readInstant, readInterval, windowBefore } from './interval-and-cursor.ts';
import { declared, operation, procedure, router } from './trpc.ts';

/** What a recorder that writes often stores. */
const POINTS_A_SECOND = 10;

export const stats = router({
  summary: procedure
    .meta(
      operation({
        path: '/stats/summary',
        tag: 'stats',
        summary: 'Statistics of a window',
        description:
          'Exact statistics of the window [to - period, to). An empty window has point_count 0 and null elsewhere.',
        cache: 'revalidated',
        points: ({ period }: z.output<typeof SummaryInput>) => PERIOD_SECONDS[period] * POINTS_A_SECOND,
      }),
    )
    .input(SummaryInput)
    .output(declared(SummaryOutput))
    .query(
      coalesced(async ({ ctx, input: { period, to } }) => {
        const window = windowBefore(readInstant('to', to, ctx.now), PERIOD_SECONDS[period]);
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
        const bucket = chooseBucket(interval, input);
        return { ...interval, bucket, buckets: await series(ctx, interval, BUCKET_SECONDS[bucket]) };
      }),
    ),
});
