// export.csv: the points of an interval as a file.
import { ExportInput, ExportOutput } from '../contract/export.ts';
import { exportPoints } from '../queries/points/export-points.ts';
import { readInterval } from './interval-and-cursor.ts';
import { operation } from './operation.ts';

export const csv = operation({
  name: 'export.csv',
  kind: 'file',
  summary: 'The points of an interval as a file',
  description:
    'Streamed, oldest first. The connection breaks when the export fails half way: a complete answer is a complete file.',
  input: ExportInput,
  output: ExportOutput,
  async answer({ db, now, signal }, input) {
    const { from, to } = readInterval(input, now);
    // without colons, which file names on Windows may not hold
    const name = `audio_${from}_${to}`.replaceAll(':', '-');
    return { kind: 'file', name, pieces: exportPoints(db, { from, to }, signal) };
  },
});
