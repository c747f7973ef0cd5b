// export.csv: the points of an interval as a file.
import type { Interval } from '../../contract/instant.ts';
import { CSV_TYPE, FORMATS } from '../../contract/media-types.ts';
import type { LevelScale } from '../../contract/periods.ts';
import { badParameter } from '../../errors.ts';
import { type FilePiece, PointsFile } from '../../points/points.ts';
import type { Call, Context } from '../context.ts';
import { historyUntil } from '../history-ends.ts';
import { readInterval } from '../interval-and-cursor.ts';
import { shownScale } from '../on-scale.ts';
import { scaleOf } from '../periods.ts';
import { operation } from '../trpc.ts';
import { ExportInput, ExportOutput } from './contract.ts';
import { exportPoints } from './query.ts';

const CSV_ONLY = 'must be csv or left out on tRPC. REST has the other formats';

export const exportCsv = operation(
  '/export/csv',
  'The points of an interval as a file',
  'Streams points, oldest first, as CSV, as one JSON object per line, or as Parquet. The file name has the unit of the levels and the reference to add to stored levels, unless levels are relative to full scale. If the export fails midway, the connection breaks, so a complete answer is a complete file.',
  { types: Object.values(FORMATS) },
)
  .input(ExportInput)
  .output(ExportOutput)
  .query(async ({ ctx, input }) => {
    if (ctx.transport === 'rpc' && input.format !== undefined && FORMATS[input.format] !== CSV_TYPE)
      throw badParameter('format', CSV_ONLY);
    const { from, to } = readInterval(input, ctx.now);
    // file names on Windows may not contain colons
    const { offset_db, scale = await scaleOf(ctx.db, { from, to }) } = await shownScale(ctx, input.levels, {
      from,
      to,
    });
    const name = `audio_${from}_${to}${nameOf(scale)}`.replaceAll(':', '-');
    const style = { type: ctx.fileType, offset_db };
    return new PointsFile(
      name,
      inSlot(ctx, { from, to }, exportPoints(ctx.db, { from, to }, style, ctx.signal)),
    );
  });

/** Waits for a slot, then yields the chunks of an export. Holds the slot to the end. */
async function* inSlot(
  { db, admission, caller, signal, call, server }: Context & { call: Call },
  interval: Interval,
  pieces: AsyncIterable<FilePiece>,
): AsyncGenerator<FilePiece> {
  const leave = await admission.exports.of(server()).enter(caller, signal);
  try {
    let ofFirst = await historyUntil({ db }, interval); // before the pieces, which hold a connection
    for await (const piece of pieces) {
      call.points += piece.points;
      yield { ...piece, ...ofFirst };
      ofFirst = {};
    }
  } finally {
    leave();
  }
}

/** Such as `_dBA_re_85`: add 85 to a level to get dB(A). Absolute levels need no reference. */
function nameOf({ levels, unit, reference_db }: LevelScale): string {
  if (unit === 'dBFS') return '';
  if (unit === null) return '_mixed_scales';
  return `_${unit.replace(/[()]/g, '')}${levels === 'absolute' ? '' : `_re_${reference_db}`}`;
}
