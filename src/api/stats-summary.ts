// stats.summary: the statistics of a window.
import type { z } from 'zod';
import { DEFAULT_PERIOD, PERIOD_SECONDS, SummaryInput, SummaryOutput } from '../contract/summary.ts';
import { badParameter } from '../errors.ts';
import { scaleOfAnswer } from '../queries/periods.ts';
import { summary as readSummary } from '../queries/statistics/summary.ts';
import { readInstant, readInterval, windowBefore } from './interval-and-cursor.ts';
import { LIGHT_POINTS, operation } from './operation.ts';

/** A high estimate, by which the period chooses the light or the heavy queue. */
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

export const summary = operation({
  name: 'stats.summary',
  kind: 'json',
  summary: 'Statistics of a window',
  description:
    'Exact statistics of the window [to - period, to), or of [from, to). An empty window has point_count 0 and null elsewhere.',
  input: SummaryInput,
  output: SummaryOutput,
  cache: 'revalidated',
  isHeavy: ({ period = DEFAULT_PERIOD, from }) =>
    from !== undefined || PERIOD_SECONDS[period] * POINTS_A_SECOND > LIGHT_POINTS,
  async answer(context, input) {
    const { period, ...window } = readWindow(input, context.now);
    const statistics = await readSummary(context, window);
    const scale = await scaleOfAnswer(context, window);
    return { kind: 'json', value: { period, ...window, scale, ...statistics } };
  },
});
