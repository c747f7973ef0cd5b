// The media types of answers, and what the ones made of lines of text hold.
import { COLUMNS, CSV_HEADER, csvRow, EXAMPLE_POINT } from './point.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';
export const EVENT_STREAM = 'text/event-stream';
/** CSV (RFC 4180, section 3). */
export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';
/** JSON objects, one on each line. */
export const NDJSON_TYPE = 'application/x-ndjson';

/** Points as lines of text. */
export type LinesType = typeof CSV_TYPE | typeof NDJSON_TYPE;

export const LINES: Readonly<Record<LinesType, { ending: string; description: string; example: string }>> = {
  [CSV_TYPE]: {
    ending: 'csv',
    description: `A header row \`${CSV_HEADER}\`, then one row per point; empty for null`,
    example: `${CSV_HEADER}\n${csvRow(EXAMPLE_POINT)}\n`,
  },
  [NDJSON_TYPE]: {
    ending: 'ndjson',
    description: `One JSON object per point, each on a line: ${COLUMNS.map((column) => `\`${column}\``).join(', ')}`,
    example: `${JSON.stringify(EXAMPLE_POINT)}\n`,
  },
};

export function isLinesType(type: string): type is LinesType {
  return type in LINES;
}
