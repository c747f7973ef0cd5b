// Writes the chunk of a column in a row group: one page, compressed beside the event loop.
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import type { ColumnMetaData, SchemaElement } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { COLUMNS, type Column } from '../../contract/point.ts';
import { audioData } from '../../db/schema.ts';
import { TYPE, unknownForm } from '../column-types.ts';
import { createBits, STORAGE, type Storage } from './encoders.ts';
import { NULL } from './places.ts';

const zstd = promisify<Uint8Array, zlib.ZstdOptions, Buffer>(zlib.zstdCompress);
const FAST = { params: { [zlib.constants.ZSTD_c_compressionLevel]: 1 } };

export interface Chunk {
  readonly bytes: Buffer;
  /** @param offset where the chunk begins in its file */
  metadataAt(offset: number): ColumnMetaData;
}

function storageOf(column: Column): Storage {
  const storage = STORAGE[TYPE[COLUMNS.indexOf(column)] ?? -1];
  if (!storage) throw new TypeError(`STORAGE has nothing for ${audioData[column].getSQLType()}`);
  return storage;
}

export function schemaOf(column: Column): SchemaElement {
  const repetition_type = audioData[column].notNull ? 'REQUIRED' : 'OPTIONAL';
  const { type, annotations } = storageOf(column);
  return { name: column, type, ...annotations, repetition_type };
}

/** @param most how many values there can be, nulls included */
export function createChunks(column: Column, most: number) {
  const { type, encoding, createEncoder } = storageOf(column);
  const encoder = createEncoder(most);
  const levels = audioData[column].notNull ? undefined : createBits(most);
  let nulls = 0;

  function take(row: DataView, places: Int32Array): void {
    for (const place of places) {
      levels?.add(place === NULL ? 0 : 1);
      if (place === NULL) nulls++;
    }
    if (nulls > 0 && !levels) throw unknownForm();
    encoder.take(row, places);
  }

  /** The chunk of the values that were taken. Nothing may be taken before it is done. */
  async function finish(rows: number): Promise<Chunk> {
    const { values, bounds } = encoder.finish();
    const page = levels ? Buffer.concat([...levelRun(levels.finish().bytes), values]) : values;
    const compressed = await zstd(page, FAST);
    const header = new ByteWriter();
    writePageHeader(header, {
      type: 'DATA_PAGE',
      uncompressed_page_size: page.length,
      compressed_page_size: compressed.length,
      data_page_header: {
        num_values: rows,
        encoding,
        definition_level_encoding: 'RLE',
        repetition_level_encoding: 'RLE',
      },
    });
    const bytes = Buffer.concat([header.getBytes(), compressed]);
    const uncompressed = header.offset + page.length;
    const statistics = { ...bounds, null_count: BigInt(nulls) };
    nulls = 0;
    const metadataAt = (offset: number): ColumnMetaData => ({
      type,
      encodings: ['RLE', encoding],
      path_in_schema: [column],
      codec: 'ZSTD',
      num_values: BigInt(rows),
      total_uncompressed_size: BigInt(uncompressed),
      total_compressed_size: BigInt(bytes.length),
      data_page_offset: BigInt(offset),
      statistics,
    });
    return { bytes, metadataAt };
  }

  return { take, finish };
}

/** Which values are not null, as one bit-packed run of levels, with its length before it (Encodings.md, "RLE"). */
function levelRun(bits: Uint8Array): readonly Uint8Array[] {
  const head = new ByteWriter(8);
  head.appendVarInt((bits.length << 1) | 1);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.offset + bits.length);
  return [length, head.getBytes(), bits];
}
