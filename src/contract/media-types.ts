// The media types of answers, and the files that hold points.
import { COLUMNS, CSV_HEADER, csvRow, EXAMPLE_POINT } from './point.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';
export const EVENT_STREAM = 'text/event-stream';
/** CSV (RFC 4180, section 3). */
export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';
/** CSV for spreadsheets that use decimal commas. */
export const SEMICOLON_TYPE = `${CSV_TYPE}; delimiter=semicolon` as const;
/** One JSON object per line. */
export const NDJSON_TYPE = 'application/x-ndjson';

export const PARQUET_TYPE = 'application/vnd.apache.parquet';

/** The media types of point files, by the value of `format`. */
export const FORMATS = {
  csv: CSV_TYPE,
  'csv-semicolon': SEMICOLON_TYPE,
  ndjson: NDJSON_TYPE,
  parquet: PARQUET_TYPE,
} as const;

export type FileType = (typeof FORMATS)[keyof typeof FORMATS];

interface FileDescription {
  /** The extension of the file name. */
  readonly ending: string;
  readonly description: string;
  /** Only for text. */
  readonly example?: string;
}

export const FILES: Readonly<Record<FileType, FileDescription>> = {
  [CSV_TYPE]: {
    ending: 'csv',
    description: `A header row \`${CSV_HEADER}\`, then one row per point. Null is an empty field`,
    example: `${CSV_HEADER}\n${csvRow(EXAMPLE_POINT)}\n`,
  },
  [SEMICOLON_TYPE]: {
    ending: 'csv',
    description:
      'The same rows for spreadsheets that use decimal commas: semicolons between columns, decimal commas, and times in UTC without `Z`',
    example: decimalCommas(`${CSV_HEADER}\n${csvRow(EXAMPLE_POINT)}\n`),
  },
  [NDJSON_TYPE]: {
    ending: 'ndjson',
    description: `One line per point: a JSON object with ${COLUMNS.map((column) => `\`${column}\``).join(', ')}`,
    example: `${JSON.stringify(EXAMPLE_POINT)}\n`,
  },
  [PARQUET_TYPE]: {
    ending: 'parquet',
    description:
      'Columns `time` (TIMESTAMP in microseconds, UTC), `rms_db` (FLOAT), `frequency_hz` (INT32) and `is_silence` (BOOLEAN), in groups of 100,000 rows',
  },
};

export function isFileType(type: string): type is FileType {
  return type in FILES;
}

/** @returns points in CSV with decimal commas. LibreOffice reads times as dates only without `Z` */
export function decimalCommas(csv: string): string {
  return csv.replaceAll(',', ';').replaceAll('.', ',').replaceAll('Z', '');
}
