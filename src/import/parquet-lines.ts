// Reads a Parquet file as the lines of a CSV, row group by row group.
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { BadInput } from '../commands/input-files.ts';
import { messageOf } from '../commands/progress.ts';
import { instantOfMicros } from '../contract/instant.ts';

const parsers = {
  timestampFromMilliseconds: (ms: bigint) => instantOfMicros(ms * 1000n),
  timestampFromMicroseconds: instantOfMicros,
  timestampFromNanoseconds: (nanos: bigint) => instantOfMicros(nanos / 1000n),
  dateFromDays: (days: number) => instantOfMicros(BigInt(days) * 86_400_000_000n).slice(0, 10),
};
const compressors = {
  ZSTD: (input: Uint8Array) => zstdDecompressSync(input),
  GZIP: (input: Uint8Array) => gunzipSync(input),
  BROTLI: (input: Uint8Array) => brotliDecompressSync(input),
};

/** @param show takes the share that is done. @throws BadInput if the file cannot be read */
export async function* linesOfParquet(
  path: string,
  show: (share: number) => void,
): AsyncGenerator<Uint8Array> {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, parquetSchema } = await import(
    'hyparquet' // loaded on demand: few files need it
  );
  try {
    const file = await asyncBufferFromFile(path);
    const metadata = await parquetMetadataAsync(file, { parsers });
    const columns = parquetSchema(metadata).children.map(({ element: { name, logical_type } }) => ({
      name,
      isLocal: logical_type?.type === 'TIMESTAMP' && !logical_type.isAdjustedToUTC,
    }));
    yield Buffer.from(`${columns.map(({ name }) => cellOf(name)).join()}\n`);
    let rowStart = 0;
    for (const { num_rows } of metadata.row_groups) {
      const rowEnd = rowStart + Number(num_rows);
      const rows = await parquetReadObjects({ file, metadata, rowStart, rowEnd, compressors, parsers });
      const lines = rows.map((row) =>
        columns.map(({ name, isLocal }) => cellOf(isLocal ? withoutZone(row[name]) : row[name])).join(),
      );
      rowStart = rowEnd;
      show(rowEnd / Number(metadata.num_rows));
      if (lines.length > 0) yield Buffer.from(`${lines.join('\n')}\n`);
    }
  } catch (cause) {
    throw new BadInput(`${path} cannot be read as Parquet: ${messageOf(cause)}`, { cause });
  }
}

const withoutZone = (time: unknown) => (typeof time === 'string' ? time.slice(0, -1) : time);

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(shortest(value));
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A number of 32 bits with as few digits as name it. */
const shortest = (value: number) =>
  Math.fround(value) === value
    ? ([6, 7, 8]
        .map((digits) => Number(value.toPrecision(digits)))
        .find((one) => Math.fround(one) === value) ?? value)
    : value;
