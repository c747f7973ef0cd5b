// export.*: validate, ask one query, answer in pieces.
import { ExportInput, ExportOutput } from '../contract/export.ts';
import { CSV_TYPE, NDJSON_TYPE } from '../contract/media-types.ts';
import type { Leave } from '../load/fair-queue.ts';
import { exportPoints } from '../queries/points/export-points.ts';
import { readInterval } from './interval-and-cursor.ts';
import { declared, operation, procedure, router } from './trpc.ts';

export const csvExport = router({
  csv: procedure
    .meta(
      operation({
        path: '/export/csv',
        tag: 'export',
        summary: 'The points of an interval as a file',
        description:
          'Streamed, oldest first. The connection breaks when the export fails half way: a complete answer is a complete file.',
        types: [CSV_TYPE, NDJSON_TYPE],
        isStreamed: true,
      }),
    )
    .input(ExportInput)
    .output(declared(ExportOutput))
    .query(({ ctx, path, input, signal }) => {
      const interval = readInterval(input, ctx.now);
      ctx.fileName = fileName(interval);
      return inPlace(() => ctx.enter(path, input, signal), exportPoints(ctx.db, interval, signal));
    }),
});

/** Gives the pieces as soon as there is a place, which is held until they end. */
async function* inPlace<Piece>(enter: () => Promise<Leave> | undefined, pieces: AsyncIterable<Piece>) {
  const leave = await enter();
  try {
    yield* pieces;
  } finally {
    leave?.();
  }
}

/** Instants without their colons, which file names on Windows may not hold. */
function fileName({ from, to }: { from: string; to: string }): string {
  return `audio_${from}_${to}`.replaceAll(':', '-');
}
