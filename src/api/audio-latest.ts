// audio.latest: the most recent points.
import { LatestInput, LatestOutput } from '../contract/audio.ts';
import { latestPoints } from '../queries/points/latest-points.ts';
import type { Context } from './context.ts';
import { documented, get } from './meta.ts';
import { absoluteScale } from './on-scale.ts';
import { byLimit, procedure } from './trpc.ts';

export const latest = procedure
  .meta({ openapi: get('/audio/latest', 'The most recent points', 'Newest first.'), cache: 'momentary' })
  .input(LatestInput)
  .output(documented(LatestOutput))
  .use(byLimit)
  .query(async ({ ctx, input }) => {
    const { levels, limit } = input;
    if (levels === 'stored') return { points: await latestPoints(ctx, { limit }, ctx.now) };
    return latestAbsolute(ctx, limit);
  });

/** The scale of the newest point is read first, and again with the points if it is not that of all. */
async function latestAbsolute(ctx: Context, limit: number) {
  let { offset_db } = await absoluteScale(ctx, { from: ctx.now, to: null });
  for (;;) {
    const points = await latestPoints(ctx, { limit }, ctx.now, offset_db);
    const oldest = points.toJSON().at(-1)?.time ?? ctx.now;
    const shown = await absoluteScale(ctx, { from: oldest, to: null });
    if (shown.offset_db === offset_db) return { scale: shown.scale, points };
    offset_db = shown.offset_db;
  }
}
