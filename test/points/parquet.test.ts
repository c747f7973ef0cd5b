import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instantOfMicros, LAST_MICROS, microsOf } from '../../src/contract/instant.ts';
import type { Point } from '../../src/contract/point.ts';
import { parquetFile } from '../../src/points/parquet.ts';
import { pieceOf } from '../../src/points/points.ts';
import { readParquet } from '../parquet.ts';
import { POINT, pointRow, repeated } from '../rows.ts';

async function fileOf(...pieces: Buffer[]): Promise<Buffer> {
  async function* all() {
    for (const bytes of pieces) yield pieceOf(bytes);
  }
  const bytes: Buffer[] = [];
  for await (const piece of parquetFile(all())) bytes.push(piece.bytes);
  return Buffer.concat(bytes);
}

const reread = async (points: readonly Point[]) =>
  readParquet(await fileOf(Buffer.concat(points.map(pointRow))));

/** Points in order of time, with these gaps in microseconds, up to the last possible time. */
function pointsAfter(first: bigint, gaps: readonly bigint[]): Point[] {
  let micros = first;
  return [0n, ...gaps].map((gap) => {
    micros = micros + gap > LAST_MICROS ? LAST_MICROS : micros + gap;
    return { ...POINT, time: instantOfMicros(micros) };
  });
}

describe('a Parquet file', () => {
  it('has no rows and all columns if there are no points', async () => {
    const { points, metadata } = await readParquet(await fileOf(Buffer.of()));
    expect(points).toEqual([]);
    expect(metadata).toMatchObject({
      version: 2,
      created_by: 'audio-metrics',
      num_rows: 0n,
      row_groups: [],
      schema: [
        { name: 'points', num_children: 4 },
        {
          name: 'time',
          type: 'INT64',
          repetition_type: 'REQUIRED',
          converted_type: 'TIMESTAMP_MICROS',
          logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
        },
        { name: 'rms_db', type: 'FLOAT', repetition_type: 'OPTIONAL' },
        { name: 'frequency_hz', type: 'INT32', repetition_type: 'OPTIONAL' },
        { name: 'is_silence', type: 'BOOLEAN', repetition_type: 'REQUIRED' },
      ],
    });
  });

  it('records the minimum, the maximum and the null count of each column per group', async () => {
    const { metadata } = await reread([
      { time: '2026-01-01T00:00:00.000001Z', rms_db: -1.5, frequency_hz: null, is_silence: false },
      { time: '2026-01-01T00:00:00.000001Z', rms_db: -50, frequency_hz: null, is_silence: true },
      { time: '2026-01-01T00:00:02.000000Z', rms_db: null, frequency_hz: null, is_silence: false },
    ]);
    const [group, ...others] = metadata.row_groups;
    expect(others).toEqual([]);
    expect(group?.num_rows).toBe(3n);
    expect(group?.columns.map(({ meta_data }) => [meta_data?.codec, meta_data?.statistics])).toMatchObject([
      [
        'ZSTD',
        {
          min_value: '2026-01-01T00:00:00.000001Z',
          max_value: '2026-01-01T00:00:02.000000Z',
          null_count: 0n,
        },
      ],
      ['ZSTD', { min_value: -50, max_value: -1.5, null_count: 1n }],
      ['ZSTD', { null_count: 3n }],
      ['ZSTD', { min_value: false, max_value: true, null_count: 0n }],
    ]);
    expect(group?.columns[2]?.meta_data?.statistics?.min_value).toBe(undefined);
  });

  it('bounds levels of 0 by -0 and 0, for readers that order them', async () => {
    const { metadata } = await reread([{ ...POINT, rms_db: 0 }]);
    const { min_value, max_value } = metadata.row_groups[0]?.columns[1]?.meta_data?.statistics ?? {};
    expect([min_value, max_value]).toEqual([-0, 0]);
  });

  it('holds any points unchanged', () =>
    fc.assert(
      fc.asyncProperty(
        fc.bigInt(microsOf('0001-01-01T00:00:00Z'), microsOf('2400-01-01T00:00:00Z')),
        fc.array(
          fc.tuple(
            fc.oneof(
              fc.constantFrom(0n, 100_000n, 2n ** 24n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 54n + 1n),
              fc.bigInt(0n, 9n),
              fc.bigInt(0n, 2n ** 34n),
            ),
            fc.oneof(fc.constantFrom(null, 0, -50), fc.float({ min: -50, max: 0, noNaN: true })),
            fc.oneof(fc.constant(null), fc.integer({ min: 100, max: 8000 })),
            fc.boolean(),
          ),
          { minLength: 1, maxLength: 300, size: 'max' },
        ),
        async (first, given) => {
          const times = pointsAfter(
            first,
            given.map(([gap]) => gap),
          );
          const points = given.map(([, rms_db, frequency_hz, is_silence], n): Point => {
            return {
              ...(times[n] ?? POINT),
              rms_db: rms_db === null ? null : rms_db + 0,
              frequency_hz,
              is_silence,
            };
          });
          expect((await reread(points)).points).toEqual(points);
        },
      ),
      { numRuns: 20 },
    ));

  it('holds the first and the last possible instant', async () => {
    const times = [
      '0001-01-01T00:00:00.000000Z',
      '1969-12-31T23:59:59.999999Z',
      instantOfMicros(LAST_MICROS),
    ];
    const points = times.map((time) => ({ ...POINT, time }));
    expect((await reread(points)).points).toEqual(points);
  });

  it('has a group for each 100,000 rows, whatever the size of the pieces', async () => {
    const row = pointRow(POINT);
    const late = { ...POINT, time: '2026-01-01T00:00:01.000000Z', rms_db: null };
    const file = await fileOf(
      ...[repeated(row, 60_001), row.subarray(0, 9), row.subarray(9), repeated(row, 39_998)],
      pointRow(late),
    );
    const { points, metadata } = await readParquet(file);
    expect(metadata.row_groups.map(({ num_rows }) => num_rows)).toEqual([100_000n, 1n]);
    expect(points).toHaveLength(100_001);
    expect([points[0], points[99_999], points[100_000]]).toEqual([POINT, POINT, late]);
  });
});
