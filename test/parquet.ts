// Reads Parquet files of points with an independent library.
import { zstdDecompressSync } from 'node:zlib';
import { type FileMetaData, parquetMetadata, parquetReadObjects } from 'hyparquet';
import { z } from 'zod';
import { instantOfMicros } from '../src/contract/instant.ts';
import { Point } from '../src/contract/point.ts';

/** The library's dates hold no microseconds. */
const parsers = { timestampFromMicroseconds: instantOfMicros };
const compressors = { ZSTD: (input: Uint8Array) => zstdDecompressSync(input) };

const Rows = z.array(Point.extend({ rms_db: z.number().nullable(), frequency_hz: z.int().nullable() }));

/** @throws if the file cannot be read */
export async function readParquet(bytes: Buffer): Promise<{ points: Point[]; metadata: FileMetaData }> {
  const file = Uint8Array.from(bytes).buffer;
  const points = Rows.parse(await parquetReadObjects({ file, compressors, parsers }));
  return { points, metadata: parquetMetadata(file, { parsers }) };
}
