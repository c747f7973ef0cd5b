// Writes points as a Parquet file (apache/parquet-format), row group by row group.
import { constants, zstdCompressSync } from 'node:zlib';
import type { Encoding, SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { microsOf } from '../contract/instant.ts';
import { COLUMNS, type Column } from '../contract/point.ts';
import { audioData } from '../database/schema.ts';
import { nextIteration } from '../event-loop-queue.ts';
import type { FilePiece } from './points.ts';

/** Rows per group. A group stays in memory until it is complete. Readers skip groups whose times they do not need. */
const GROUP_ROWS = 100_000;

type Value = bigint | number | boolean | null;

/** How an SQL type is stored, and read from CSV. */
interface Storage {
  readonly element: Omit<SchemaElement, 'name'>;
  readonly encoding: Encoding;
  read(text: string): Value;
}

const STORAGE: Readonly<Record<string, Storage>> = {
  'timestamp with time zone': {
    element: {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MICROS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
    },
    encoding: 'DELTA_BINARY_PACKED',
    read: microsOf,
  },
  real: { element: { type: 'FLOAT' }, encoding: 'PLAIN', read: (text) => Math.fround(Number(text)) },
  integer: { element: { type: 'INT32' }, encoding: 'PLAIN', read: Number },
  boolean: { element: { type: 'BOOLEAN' }, encoding: 'PLAIN', read: (text) => text === 'true' },
};

function storageOf(column: Column): Storage {
  const type = audioData[column].getSQLType();
  const storage = STORAGE[type];
  if (!storage) throw new TypeError(`STORAGE has nothing for ${type}`);
  return storage;
}

const schema: SchemaElement[] = [
  { name: 'points', num_children: COLUMNS.length },
  ...COLUMNS.map((name) => {
    const { type, ...annotations } = storageOf(name).element;
    const repetition_type = audioData[name].notNull ? ('REQUIRED' as const) : ('OPTIONAL' as const);
    return { name, ...(type && { type }), ...annotations, repetition_type };
  }),
];

const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const compressors = { ZSTD: (input: Uint8Array) => zstdCompressSync(input, FAST) };

/** @param pieces CSV without a header, cut anywhere, in order of time. @returns the bytes of the file */
export async function* parquetFile(pieces: AsyncIterable<FilePiece>): AsyncGenerator<FilePiece> {
  const writer = new ByteWriter();
  const file = new ParquetWriter({ writer, schema, codec: 'ZSTD', compressors, createdBy: 'audio-metrics' });
  const columns = COLUMNS.map((name) => ({
    name,
    ...storageOf(name),
    offsetIndex: false,
    data: [] as Value[],
  }));
  let [held, rest] = [0, ''];

  function take(points: number): FilePiece {
    const bytes = Buffer.from(writer.getBytes());
    writer.index = 0;
    return { bytes, points };
  }

  async function finishGroup(): Promise<FilePiece> {
    await nextIteration();
    await file.write({ columnData: columns, rowGroupSize: GROUP_ROWS });
    for (const column of columns) column.data = [];
    const points = held;
    held = 0;
    return take(points);
  }

  let isFirst = true;
  for await (const { bytes } of pieces) {
    const lines = (rest + bytes.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const values = line.split(',');
      for (const [index, { read, data }] of columns.entries()) {
        const text = values[index] ?? '';
        data.push(text === '' ? null : read(text));
      }
      if (++held === GROUP_ROWS) yield await finishGroup();
    }
    if (isFirst) yield take(0); // the file's magic number, to begin the response when the first points arrive
    isFirst = false;
  }
  if (held > 0) yield await finishGroup();
  await file.finish();
  yield take(0);
}
