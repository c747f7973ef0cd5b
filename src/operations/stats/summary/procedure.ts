// stats.summary: the statistics of a window.
import type { z } from 'zod';
import { badParameter } from '../../../errors.ts';
import { readInterval, windowBefore } from '../../interval-and-cursor.ts';
import { measuredAnswer, onScale } from '../../on-scale.ts';
import { answered, documented, LIGHT_SECONDS, operation } from '../../trpc.ts';
import { DEFAULT_PERIOD, PERIOD_SECONDS, SummaryInput, SummaryOutput } from './contract.ts';
import { summary as readSummary } from './query.ts';

function readWindow({ period, from, ...ends }: z.output<typeof SummaryInput>, now: string) {
  if (from === undefined) {
    const length = period ?? DEFAULT_PERIOD;
    return { period: length, ...windowBefore(readInterval(ends, now).to, PERIOD_SECONDS[length]) };
  }
  if (period !== undefined) throw badParameter('period', 'must not be given together with `from`');
  return { period: null, ...readInterval({ from, ...ends }, now) };
}

export const statsSummary = operation(
  '/stats/summary',
  'Leq, L_N and extremes of a window',
  'Exact statistics of the window `[to - period, to)` or `[from, to)`. In an empty window, point_count is 0 and the other figures are null.',
  { cache: 'revalidated' },
)
  .input(SummaryInput)
  .output(documented(SummaryOutput))
  .use(
    answered(
      ({ period = DEFAULT_PERIOD, from }) => from !== undefined || PERIOD_SECONDS[period] > LIGHT_SECONDS,
    ),
  )
  .use(onScale)
  .query(async ({ ctx, input }) => {
    const { period, ...window } = readWindow(input, ctx.now);
    return measuredAnswer(ctx, input, window, async (store) => ({
      period,
      ...(await readSummary(store, window)),
    }));
  });
