// export.csv: the points of an interval as a file.
import { ExportInput, ExportOutput } from '../contract/export.ts';
import { FORMATS } from '../contract/media-types.ts';
import type { LevelScale } from '../contract/periods.ts';
import { scaleOf } from '../queries/periods.ts';
import { exportPoints } from '../queries/points/export-points.ts';
import { readInterval } from './interval-and-cursor.ts';
import { operation } from './operation.ts';

export const csv = operation({
  name: 'export.csv',
  kind: 'file',
  summary: 'The points of an interval as a file',
  description:
    'Streamed as CSV, as one JSON object a line, or as Parquet, oldest first. Levels are as they are stored; the name of the file tells their unit and reference where they are not dB relative to full scale. The connection breaks when the export fails half way: a complete answer is a complete file.',
  input: ExportInput,
  output: ExportOutput,
  typesFor: ({ format }) => format && [FORMATS[format]],
  async answer({ db, now, signal, fileType }, input) {
    const { from, to } = readInterval(input, now);
    // without colons, which file names on Windows may not hold
    const name = `audio_${from}_${to}${nameOf(await scaleOf(db, { from, to }))}`.replaceAll(':', '-');
    return { kind: 'file', name, pieces: exportPoints(db, { from, to }, fileType, signal) };
  },
});

/** Such as `_dBA_re_85`: 85 added to a level makes it dB(A). */
function nameOf({ unit, reference_db }: LevelScale): string {
  if (unit === 'dBFS') return '';
  return unit === null ? '_mixed_scales' : `_${unit.replace(/[()]/g, '')}_re_${reference_db}`;
}
