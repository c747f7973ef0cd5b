import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CSV_TYPE, decimalCommas, NDJSON_TYPE, SEMICOLON_TYPE } from '../../src/contract/media-types.ts';
import { CSV_HEADER, type Point } from '../../src/contract/point.ts';
import { rangePoints } from '../../src/operations/audio/range/query.ts';
import { exportPoints } from '../../src/operations/export/query.ts';
import type { Position } from '../../src/points/page.ts';
import { describeEachEngine, openForAll } from '../engines.ts';
import { newestFirst, store } from '../operations/scattered.ts';

const ALL = { from: '0001-01-01T00:00:00.000000Z', to: '9999-12-31T23:59:59.999999Z' };

/** Levels as the database writes them. */
const LEVELS = ['-1e-05', '-1.1754944e-38', '-1e-45', '-12.345679', '-50', '0', '-0.30000004', '-7.2'];

const level = fc.oneof(
  fc.constantFrom(null, ...LEVELS.map(Number)),
  fc.integer({ min: -4999, max: -1 }).map((n) => n / 100),
);
const time = fc.oneof(
  fc.constantFrom(ALL.from, '2026-01-01T00:00:00.100000Z', '9999-12-31T23:59:59.999998Z'),
  fc.nat(3).map((micros) => `2026-01-01T00:00:00.00000${micros}Z`),
);
const points = fc.array(
  fc.record({
    time,
    rms_db: level,
    frequency_hz: fc.constantFrom(null, 100, 8000),
    is_silence: fc.boolean(),
  }),
  { maxLength: 25 },
);

/** A level as text: JavaScript and PostgreSQL start to use exponents at different magnitudes. */
const written = (level: number | null, none: string) =>
  level === null ? none : (LEVELS.find((text) => Number(text) === level) ?? String(level));

const asJson = ({ time, rms_db, frequency_hz, is_silence }: Point) =>
  `{"time":"${time}","rms_db":${written(rms_db, 'null')},"frequency_hz":${frequency_hz},"is_silence":${is_silence}}`;
const asCsv = ({ time, rms_db, frequency_hz, is_silence }: Point) =>
  `${[time, written(rms_db, ''), frequency_hz ?? '', is_silence]}\n`;

const shifted = (level: number | null, offset: number) =>
  level === null ? null : expect.closeTo(level + offset, 9);

const TYPES = {
  [NDJSON_TYPE]: (all: readonly Point[]) => all.map((point) => `${asJson(point)}\n`).join(''),
  [CSV_TYPE]: (all: readonly Point[]) => `${CSV_HEADER}\n${all.map(asCsv).join('')}`,
  [SEMICOLON_TYPE]: (all: readonly Point[]) => decimalCommas(TYPES[CSV_TYPE](all)),
};

/** Oldest first; equal times in the order of the pages. */
function oldestFirst(all: readonly Point[]): Point[] {
  return newestFirst(all).toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
}

describeEachEngine('Pages of points', (engine) => {
  const test = openForAll(() => engine.open());

  it('have the same text as files of each type, and end at the same points on every scale', async () => {
    await fc.assert(
      fc.asyncProperty(points, fc.integer({ min: 1, max: 7 }), async (all, limit) => {
        await store(test, all, false);
        const ordered = oldestFirst(all);
        let position: Position | undefined;
        for (let read = 0; read === 0 || position; read += limit) {
          const page = await rangePoints(test.db, ALL, limit, position);
          const expected = ordered.slice(read, read + limit);
          expect(page.points.text).toBe(`[${expected.map(asJson)}]`);
          expect(page.points.count).toBe(expected.length);
          expect(page.points.toJSON()).toEqual(expected);
          const absolute = await rangePoints(test.db, ALL, limit, position, 95.1);
          expect(absolute.points.toJSON()).toEqual(
            expected.map((point) => ({ ...point, rms_db: shifted(point.rms_db, 95.1) })),
          );
          expect(absolute.next).toEqual(page.next);
          position = page.next ?? undefined;
        }
        for (const type of [NDJSON_TYPE, CSV_TYPE, SEMICOLON_TYPE] as const) {
          const pieces: Buffer[] = [];
          for await (const { bytes } of exportPoints(test.db, ALL, { type, offset_db: 0 }))
            pieces.push(bytes);
          expect(`${Buffer.concat(pieces)}`).toBe(TYPES[type](ordered));
        }
      }),
      { numRuns: 25 },
    );
  });

  it('write a level of -0 as 0', async () => {
    await test.sql('truncate audio_data');
    await test.sql(`insert into audio_data (time, rms_db) values ('2026-01-01Z', '-0')`);
    const { points } = await rangePoints(test.db, ALL, 1);
    expect(points.text).toContain('"rms_db":0,');
  });
});
