// audio.latest: the most recent points.
import { LatestInput, LatestOutput } from '../contract/audio.ts';
import { latestPoints } from '../queries/points/latest-points.ts';
import { documented, get } from './meta.ts';
import { byLimit, procedure } from './trpc.ts';

export const latest = procedure
  .meta({ openapi: get('/audio/latest', 'The most recent points', 'Newest first.'), cache: 'momentary' })
  .input(LatestInput)
  .output(documented(LatestOutput))
  .use(byLimit)
  .query(async ({ ctx, input }) => {
    return { points: await latestPoints(ctx, input, ctx.now) };
  });
