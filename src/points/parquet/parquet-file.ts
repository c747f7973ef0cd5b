// Writes points as a Parquet file (apache/parquet-format), row group by row group.
//
// hyparquet-writer writes the headers and the footer. Of values it makes objects: a million points take it seconds.
import type { FileMetaData, RowGroup } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import { COLUMNS } from '../../contract/point.ts';
import type { FilePiece } from '../points.ts';
import { createChunks, schemaOf } from './column-chunk.ts';
import { findPlaces } from './places.ts';

/** Each group is held until it is whole. Readers skip the groups whose times they do not need. */
const GROUP_ROWS = 100_000;

/** How many rows are encoded at once. */
const STEP_ROWS = 2000;

const MAGIC = Buffer.from('PAR1');

/**
 * @param pieces of points in order of time
 * @returns the bytes of the file
 */
export async function* parquetFile(pieces: AsyncIterable<FilePiece>): AsyncGenerator<Buffer> {
  const columns = COLUMNS.map((column) => createChunks(column, GROUP_ROWS));
  const places = COLUMNS.map(() => new Int32Array(STEP_ROWS));
  const groups: RowGroup[] = [];
  let offset = 0;
  let held = 0; // rows of the group that is not whole yet

  function written(bytes: Buffer): Buffer {
    offset += bytes.length;
    return bytes;
  }

  /** Takes some of the rows, at most up to the end of the group. @returns where the next row begins */
  function take(rows: Buffer, start: number): number {
    const { count, end } = findPlaces(rows, start, Math.min(STEP_ROWS, GROUP_ROWS - held), places);
    const view = new DataView(rows.buffer, rows.byteOffset, rows.length);
    for (const [n, its] of places.entries()) columns[n]?.take(view, its.subarray(0, count));
    held += count;
    return end;
  }

  async function* finishGroup() {
    const chunks = await Promise.all(columns.map((column) => column.finish(held)));
    const metadata = [];
    for (const { bytes, metadataAt } of chunks) {
      metadata.push(metadataAt(offset));
      yield written(bytes);
    }
    groups.push({
      columns: metadata.map((meta_data) => ({ file_offset: meta_data.data_page_offset, meta_data })),
      total_byte_size: metadata.reduce((sum, each) => sum + each.total_uncompressed_size, 0n),
      num_rows: BigInt(held),
      sorting_columns: [{ column_idx: COLUMNS.indexOf('time'), descending: false, nulls_first: false }],
    });
    held = 0;
  }

  yield written(MAGIC);
  for await (const { rows } of pieces)
    for (let at = 0; at < rows.length; ) {
      at = take(rows, at);
      if (held === GROUP_ROWS) yield* finishGroup();
    }
  if (held > 0) yield* finishGroup();
  yield footerOf(groups);
}

function footerOf(row_groups: RowGroup[]): Buffer {
  const root = { name: 'points', num_children: COLUMNS.length };
  const metadata: FileMetaData = {
    version: 2,
    created_by: 'audio-metrics',
    schema: [root, ...COLUMNS.map(schemaOf)],
    num_rows: row_groups.reduce((sum, { num_rows }) => sum + num_rows, 0n),
    row_groups,
    metadata_length: 0, // which is written after it
  };
  const writer = new ByteWriter();
  writeMetadata(writer, metadata);
  return Buffer.concat([writer.getBytes(), MAGIC]);
}
