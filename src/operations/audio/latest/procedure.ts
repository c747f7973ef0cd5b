// audio.latest: the most recent points.
import { aheadOf } from '../../../contract/instant.ts';
import { absoluteScale } from '../../on-scale.ts';
import { byLimit, documented, operation } from '../../trpc.ts';
import { LatestInput, LatestOutput } from './contract.ts';
import { latestPoints } from './query.ts';

export const audioLatest = operation('/audio/latest', 'The most recent points', 'Newest first.', {
  cache: 'momentary',
})
  .input(LatestInput)
  .output(documented(LatestOutput))
  .use(byLimit)
  .query(async ({ ctx, input }) => {
    const points = await latestPoints(ctx, input, ctx.now);
    if (input.levels === 'stored') return { points };
    const to = input.ahead === 'include' ? null : aheadOf(ctx.now);
    const from = points.toJSON().at(-1)?.time ?? ctx.now;
    const { offset_db, scale } = await absoluteScale(ctx, { from, to });
    return { scale, points: points.shift(offset_db) };
  });
