// export.csv: what goes in, what comes out.
import { z } from 'zod';
import { From, parameters, To } from './parameters.ts';

/** The header row of every export and import. */
export const CSV_HEADER = 'time,rms_db,frequency_hz,is_silence';

export const ExportInput = parameters({ from: From, to: To });
export type ExportInput = z.output<typeof ExportInput>;

/** Text of a CSV file, in pieces. */
export const ExportOutput = z.custom<AsyncIterable<string>>().meta({
  description: `A header row \`${CSV_HEADER}\`, then one row per point, oldest first; empty for null`,
  override: { type: 'string' },
});
