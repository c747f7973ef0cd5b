// export.csv: what goes in, what comes out.
import { z } from 'zod';
import { From, parameters, To } from './parameters.ts';
import { CSV_HEADER, csvRow, EXAMPLE_POINT } from './point.ts';

/** The media type of a CSV file (RFC 4180, section 3). */
export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

export const ExportInput = parameters({ from: From, to: To });

/** Text of a CSV file, in pieces. */
export const ExportOutput = z.custom<AsyncIterable<string>>().meta({
  description: `A header row \`${CSV_HEADER}\`, then one row per point, oldest first; empty for null`,
  examples: [`${CSV_HEADER}\n${csvRow(EXAMPLE_POINT)}\n`],
  override: { type: 'string' },
});
