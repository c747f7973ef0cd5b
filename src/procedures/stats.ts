// stats.*: validate, ask one query, answer.
import { PERIOD_SECONDS, SummaryInput, SummaryOutput } from '../contract/stats.ts';
import { summary } from '../queries/summary.ts';
import { readInstant, windowBefore } from './interval.ts';
import { declared, operation, router, sharedProcedure } from './trpc.ts';

export const stats = router({
  summary: sharedProcedure
    .meta(
      operation(
        '/stats/summary',
        'stats',
        'Statistics of a window',
        'Exact statistics of the window [to - period, to). An empty window has point_count 0 and null elsewhere.',
      ),
    )
    .input(SummaryInput)
    .output(declared(SummaryOutput))
    .query(async ({ ctx, input: { period, to } }) => {
      const window = windowBefore(readInstant('to', to, ctx.now), PERIOD_SECONDS[period]);
      return { period, ...window, ...(await summary(ctx.db, window)) };
    }),
});
