// export.csv: the points of an interval as a file.
import { ExportInput, ExportOutput } from '../contract/export.ts';
import { CSV_TYPE, FORMATS } from '../contract/media-types.ts';
import type { LevelScale } from '../contract/periods.ts';
import { badParameter } from '../errors.ts';
import { PointsFile } from '../points/points.ts';
import { scaleOf } from '../queries/periods.ts';
import { exportPoints } from '../queries/points/export-points.ts';
import type { Call, Context } from './context.ts';
import { readInterval } from './interval-and-cursor.ts';
import { get } from './meta.ts';
import { shownScale } from './on-scale.ts';
import { procedure } from './trpc.ts';

const CSV_ONLY = 'must be csv or left out through tRPC, which gives the text of CSV; REST gives the others';

export const csv = procedure
  .meta({
    openapi: get(
      '/export/csv',
      'The points of an interval as a file',
      'Streamed as CSV, as one JSON object a line, or as Parquet, oldest first. The name of the file states the unit of the levels, and the reference to add to stored ones, unless they are dB relative to full scale. The connection breaks when the export fails half way: a complete answer is a complete file.',
    ),
    types: Object.values(FORMATS),
  })
  .input(ExportInput)
  .output(ExportOutput)
  .query(async ({ ctx, input }) => {
    if (ctx.transport === 'rpc' && input.format !== undefined && FORMATS[input.format] !== CSV_TYPE)
      throw badParameter('format', CSV_ONLY);
    const { from, to } = readInterval(input, ctx.now);
    // without colons, which file names on Windows may not hold
    const { offset_db, scale = await scaleOf(ctx.db, { from, to }) } = await shownScale(ctx, input.levels, {
      from,
      to,
    });
    const name = `audio_${from}_${to}${nameOf(scale)}`.replaceAll(':', '-');
    const style = { type: ctx.fileType, offset_db };
    return new PointsFile(name, inSlot(ctx, exportPoints(ctx.db, { from, to }, style, ctx.signal)));
  });

/** Gives the pieces of an export as soon as it has a slot, which it holds until they end. */
async function* inSlot<Piece extends { points: number }>(
  { admission, caller, signal, call }: Context & { call: Call },
  pieces: AsyncIterable<Piece>,
) {
  const leave = await admission.exports.enter(caller, signal);
  try {
    for await (const piece of pieces) {
      call.points += piece.points;
      yield piece;
    }
  } finally {
    leave();
  }
}

/** Such as `_dBA_re_85`: 85 added to a level makes it dB(A). Absolute levels need nothing. */
function nameOf({ levels, unit, reference_db }: LevelScale): string {
  if (unit === 'dBFS') return '';
  if (unit === null) return '_mixed_scales';
  return `_${unit.replace(/[()]/g, '')}${levels === 'absolute' ? '' : `_re_${reference_db}`}`;
}
