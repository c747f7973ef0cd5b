// Encodes the values of a column: as its type has them in Parquet, with the least and the greatest.
import type { Encoding, ParquetType, SchemaElement, Statistics } from 'hyparquet';
import { BOOLEAN, INSTANT, INTEGER, REAL } from '../column-types.ts';
import { createDeltaPacker } from './delta-packing.ts';
import { NULL } from './places.ts';

export interface Encoded {
  readonly values: Uint8Array;
  /** Empty where there is no value. */
  readonly bounds: Pick<Statistics, 'min_value' | 'max_value'>;
}

export interface Encoder {
  /** Adds the values at some places of rows; nulls are left out. */
  take(row: DataView, places: Int32Array): void;
  /** @returns what was added since the last call, in memory that is written again when more is added */
  finish(): Encoded;
}

/** How a type is stored. */
export interface Storage {
  readonly type: ParquetType;
  readonly annotations?: Pick<SchemaElement, 'converted_type' | 'logical_type'>;
  readonly encoding: Encoding;
  /** @param most how many values there can be */
  createEncoder(most: number): Encoder;
}

/** By type. BYTE_STREAM_SPLIT would take a tenth less, but many readers do not know it. */
export const STORAGE: Readonly<Record<number, Storage>> = {
  [INSTANT]: {
    type: 'INT64',
    annotations: {
      converted_type: 'TIMESTAMP_MICROS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
    },
    encoding: 'DELTA_BINARY_PACKED',
    createEncoder: createDeltaPacker,
  },
  [REAL]: { type: 'FLOAT', encoding: 'PLAIN', createEncoder: createReals },
  [INTEGER]: { type: 'INT32', encoding: 'PLAIN', createEncoder: createIntegers },
  [BOOLEAN]: { type: 'BOOLEAN', encoding: 'PLAIN', createEncoder: createBooleans },
};

function createReals(most: number): Encoder {
  return createNumbers(most, (view, at, row, place) => {
    const value = row.getFloat32(place);
    view.setFloat32(at, value, true);
    return value;
  });
}

function createIntegers(most: number): Encoder {
  return createNumbers(most, (view, at, row, place) => {
    const value = row.getInt32(place);
    view.setInt32(at, value, true);
    return value;
  });
}

/** @param write writes a value of four bytes, and gives it back */
function createNumbers(
  most: number,
  write: (view: DataView, at: number, row: DataView, place: number) => number,
): Encoder {
  const bytes = new Uint8Array(4 * most);
  const view = new DataView(bytes.buffer);
  let [end, min, max] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return {
    take(row, places) {
      for (const place of places) {
        if (place === NULL) continue;
        const value = write(view, end, row, place);
        if (value < min) min = value;
        if (value > max) max = value;
        end += 4;
      }
    },
    finish() {
      const values = bytes.subarray(0, end);
      // the least 0 is written as -0: to some readers 0 lies above that (parquet.thrift, ColumnOrder)
      const bounds = end > 0 ? { min_value: min === 0 ? -0 : min, max_value: max } : {};
      [end, min, max] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      return { values, bounds };
    },
  };
}

function createBooleans(most: number): Encoder {
  const bits = createBits(most);
  let trues = 0;
  return {
    take(row, places) {
      for (const place of places) {
        if (place === NULL) continue;
        const bit = row.getUint8(place) === 0 ? 0 : 1;
        bits.add(bit);
        trues += bit;
      }
    },
    finish() {
      const { bytes, count } = bits.finish();
      const bounds = count > 0 ? { min_value: trues === count, max_value: trues > 0 } : {};
      trues = 0;
      return { values: bytes, bounds };
    },
  };
}

/** Eight bits to a byte, the lowest first. */
export function createBits(most: number) {
  const bytes = new Uint8Array(Math.ceil(most / 8));
  let count = 0;
  return {
    add(bit: 0 | 1): void {
      const at = count >>> 3;
      const place = count++ & 7;
      bytes[at] = place === 0 ? bit : (bytes[at] ?? 0) | (bit << place);
    },
    finish() {
      const added = { bytes: bytes.subarray(0, Math.ceil(count / 8)), count };
      count = 0;
      return added;
    },
  };
}
