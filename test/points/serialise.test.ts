import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CSV_TYPE, NDJSON_TYPE, SEMICOLON_TYPE } from '../../src/contract/media-types.ts';
import { CSV_HEADER, type Point } from '../../src/contract/point.ts';
import { FilePiece } from '../../src/points/points.ts';
import { writeJson, writeLines } from '../../src/points/serialise.ts';
import { instant, int32, int64, pointRow, real, repeated, rowOf } from '../rows.ts';

/** The levels that are written with an exponent, as the database writes them. */
const SMALL: Record<string, number> = { '-1e-05': -1e-5, '-1.1754944e-38': -1.1754944e-38, '-1e-45': -1e-45 };

const points = fc.array(
  fc.record({
    time: fc
      .tuple(
        fc.date({
          min: new Date('0001-01-01T00:00:00Z'),
          max: new Date('9999-12-31T23:59:59.999Z'),
          noInvalidDate: true,
        }),
        fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 999 })),
      )
      .map(([date, micros]) => date.toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`)),
    rms_db: fc.oneof(
      fc.constantFrom(null, 0, -50, -23.4, -12.345679, ...Object.values(SMALL)),
      fc.integer({ min: -5000, max: 0 }).map((n) => n / 100 || 0),
    ),
    frequency_hz: fc.oneof(fc.constantFrom(null, 0, 2_147_483_647), fc.integer({ min: 100, max: 8000 })),
    is_silence: fc.boolean(),
  }),
  { maxLength: 20 },
);

const rowsOf = (all: readonly Point[]) => Buffer.concat(all.map(pointRow));

/** The JSON of points, by way of objects. */
function textOf(all: readonly Point[]): string {
  let text = JSON.stringify(all);
  for (const [written, level] of Object.entries(SMALL))
    text = text.replaceAll(`"rms_db":${level},`, `"rms_db":${written},`);
  return text;
}

const HEAD = `${CSV_HEADER}\n`;
const TIME = '2026-01-01T00:00:00.120000Z';
const ROWS = rowsOf([
  { time: TIME, rms_db: -1e-5, frequency_hz: 440, is_silence: false },
  { time: '2026-01-01T00:00:01.000000Z', rms_db: null, frequency_hz: null, is_silence: true },
]);
const SHORTEST: Point = { time: TIME, rms_db: null, frequency_hz: null, is_silence: true };
/** What is the longest as text, in a row that is no longer than others. */
const LONGEST: Point = {
  time: TIME,
  rms_db: -1.1754944e-38,
  frequency_hz: 2_147_483_647,
  is_silence: false,
};
const LONGEST_DECIMAL = { ...LONGEST, rms_db: -0.00012345679 };
/** A row of nulls alone is the shortest that there can be. */
const NULLS = rowOf(null, null, null, null);
const NULLS_JSON = '{"time":"null","rms_db":null,"frequency_hz":null,"is_silence":null}';

describe('Points', () => {
  it('writes the points in the form of the contract, numbers as the database writes them', () => {
    expect(`${writeJson(ROWS, '', '')}`).toBe(
      '[{"time":"2026-01-01T00:00:00.120000Z","rms_db":-1e-05,"frequency_hz":440,"is_silence":false},' +
        '{"time":"2026-01-01T00:00:01.000000Z","rms_db":null,"frequency_hz":null,"is_silence":true}]',
    );
  });

  it('gives what JSON.stringify gives for the points', () => {
    fc.assert(
      fc.property(points, (all) => {
        const single = all.map((point) => ({
          ...point,
          rms_db: point.rms_db === null ? null : Number(`${JSON.parse(textOf([point]))[0].rms_db}`),
        }));
        const written = `${writeJson(rowsOf(all), '', '')}`;
        expect(written).toBe(textOf(single));
      }),
    );
  });

  it.each([1, 3, 3000, 12_000])(
    'has room for %i rows as short, and for as many with texts as long as they can be',
    (count) => {
      for (const point of [SHORTEST, LONGEST, LONGEST_DECIMAL]) {
        const expected = `[${Array(count).fill(textOf([point]).slice(1, -1))}]`;
        const rows = repeated(pointRow(point), count);
        expect(`${writeJson(rows, '', '')}` === expected).toBe(true);
      }
    },
  );

  it.each([1, 3, 3000, 15_000])('has room for %i rows of nulls alone', (count) => {
    const rows = repeated(NULLS, count);
    expect(`${writeJson(rows, '', '')}` === `[${Array(count).fill(NULLS_JSON)}]`).toBe(true);
    expect(`${writeLines(rows, CSV_TYPE, false)}` === ',,,\n'.repeat(count)).toBe(true);
    expect(`${writeLines(rows, NDJSON_TYPE, false)}` === `${NULLS_JSON}\n`.repeat(count)).toBe(true);
  });

  it('has room wherever its size passes that of the room which all share', () => {
    for (let count = 4000; count < 9000; count += 997)
      for (const [row, text] of [
        [NULLS, NULLS_JSON],
        [pointRow(LONGEST), textOf([LONGEST]).slice(1, -1)],
      ] as const)
        expect(writeJson(repeated(row, count), '', '').length).toBe(count * (text.length + 1) + 1);
  });

  it.each([0, 1, 12_000])('puts the points of %i times two rows between other texts', (count) => {
    const rows = repeated(ROWS, count);
    for (const long of [1000, 400_000]) {
      const [before, after] = ['{"ä":"€'.repeat(long), '"ü😀"}'.repeat(long)];
      const [between, alone] = [`${writeJson(rows, before, after)}`, `${writeJson(rows, '', '')}`];
      expect(between === `${before}${alone}${after}`).toBe(true);
    }
  });

  it('puts one point between texts of every length about that of the shared room', () => {
    const row = pointRow(LONGEST);
    const alone = `${writeJson(row, '', '')}`;
    for (let more = -300; more <= 50; more += 50)
      for (const letter of ['x', '€']) {
        const text = letter.repeat(Math.floor(2 ** 20 / 3) + more);
        const [before, after] = [writeJson(row, text, ''), writeJson(row, '', text)];
        expect(before.length).toBe(Buffer.byteLength(text) + alone.length);
        expect(before.subarray(-alone.length).equals(Buffer.from(alone))).toBe(true);
        expect(after.subarray(0, alone.length).equals(Buffer.from(alone))).toBe(true);
        expect(after.subarray(alone.length).equals(before.subarray(0, -alone.length))).toBe(true);
      }
  });

  const time = instant(TIME);
  it.each<[string, Buffer]>([
    ['a row without a column', rowOf()],
    ['a row with too few columns', rowOf(time, real(-1), int32(440))],
    ['a row with too many columns', rowOf(time, real(-1), int32(440), Buffer.of(1), null)],
    ['a time that is too short', rowOf(int32(0), real(-1), int32(440), Buffer.of(1))],
    ['a level of 8 bytes', rowOf(time, int64(0n), int32(440), Buffer.of(1))],
    ['a frequency of 8 bytes', rowOf(time, real(-1), int64(440n), Buffer.of(1))],
    ['a frequency below 0', rowOf(time, real(-1), int32(-440), Buffer.of(1))],
    ['a boolean of no length', rowOf(time, real(-1), int32(440), Buffer.of())],
    ['a row that ends amid a value', Buffer.concat([ROWS, pointRow(SHORTEST).subarray(0, -1)])],
    ['a value that is longer than its row', pointRow(SHORTEST).fill(8, 10, 11).fill(64, 10, 11)],
    ['a length below 0', rowOf(time, null, null, Buffer.of(1)).fill(0xff, 7, 10)],
  ])('refuses %s', (_, rows) => {
    for (const all of [rows, Buffer.concat([ROWS, rows])])
      for (const write of [() => writeJson(all, '', ''), () => writeLines(all, CSV_TYPE, true)])
        expect(write).toThrow('The rows of the points have an unknown form');
    expect(`${writeJson(ROWS, '', '')}`).toContain('-1e-05'); // and goes on
  });

  it('refuses a row that is cut off anywhere, or does not go on', () => {
    const row = pointRow(LONGEST);
    for (let end = 1; end < row.length; end++)
      expect(() => writeJson(Buffer.concat([ROWS, row.subarray(0, end)]), '', '')).toThrow();
    for (const length of [-1, 0, 3]) {
      const stuck = Buffer.from(row);
      stuck.writeInt32BE(length, 1);
      expect(() => writeJson(stuck, '', '')).toThrow('A row is shorter than its head');
    }
  });

  it.each([
    ['the end of time', 2n ** 63n - 1n],
    ['the beginning of time', -(2n ** 63n)],
    ['the year 10000', BigInt(Date.UTC(10_000, 0) - Date.UTC(2000, 0)) * 1000n],
    ['the year 1 before Christ', BigInt(Date.parse('0001-01-01') - Date.UTC(2000, 0)) * 1000n - 1n],
  ])('refuses %s', (_, micros) => {
    const rows = rowOf(int64(micros), null, null, Buffer.of(0));
    expect(() => writeJson(rows, '', '')).toThrow('A point is dated outside of the years 1 to 9999');
    expect(`${writeJson(ROWS, '', '')}`).toContain(TIME); // and goes on
  });

  it.each([Number.NaN, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY])(
    'refuses a level of %s',
    (level) => {
      const rows = rowOf(time, real(level), null, Buffer.of(0));
      expect(() => writeJson(rows, '', '')).toThrow('A level is not a number');
    },
  );
});

describe('FilePiece', () => {
  it('has the rows in the form of the contract, after the head of its file, and counts them', () => {
    const text = `${TIME},-1e-05,440,false\n2026-01-01T00:00:01.000000Z,,,true\n`;
    const [first, next] = [new FilePiece(ROWS, true), new FilePiece(ROWS, false)];
    expect([`${first.as(CSV_TYPE)}`, `${next.as(CSV_TYPE)}`]).toEqual([`${HEAD}${text}`, text]);
    expect(`${first.as(NDJSON_TYPE)}`).toBe(`${next.as(NDJSON_TYPE)}`);
    expect(`${first.as(SEMICOLON_TYPE)}`).toBe(
      'time;rms_db;frequency_hz;is_silence\n2026-01-01T00:00:00,120000;-1e-05;440;false\n2026-01-01T00:00:01,000000;;;true\n',
    );
    expect([first.points, next.points]).toEqual([2, 2]);
    expect(JSON.parse(JSON.stringify([first, next]))).toEqual([`${HEAD}${text}`, text]);
  });

  it('may have a head alone', () => {
    const piece = new FilePiece(Buffer.of(), true);
    expect([`${piece.as(CSV_TYPE)}`, `${piece.as(NDJSON_TYPE)}`, piece.points]).toEqual([HEAD, '', 0]);
  });

  it.each([1, 2, 30_000])('has room for %i rows as short and as long as they can be', (count) => {
    for (const [point, text] of [
      [SHORTEST, `${TIME},,,true\n`],
      [LONGEST, `${TIME},-1.1754944e-38,2147483647,false\n`],
    ] as const) {
      const piece = new FilePiece(repeated(pointRow(point), count), true);
      expect(`${piece.as(CSV_TYPE)}` === `${HEAD}${text.repeat(count)}`).toBe(true);
    }
  });

  it('gives the same in whatever pieces the rows come, none written over by the next', () => {
    fc.assert(
      fc.property(points, fc.array(fc.nat(20)), (all, cuts) => {
        const ends = [...cuts.filter((cut) => cut < all.length).toSorted((a, b) => a - b), all.length];
        const pieces = ends.map((end, n) =>
          new FilePiece(rowsOf(all.slice(ends[n - 1] ?? 0, end)), false).as(CSV_TYPE),
        );
        const lines = JSON.parse(`${writeJson(rowsOf(all), '', '')}`).map((point: Point, n: number) => {
          const level = /"rms_db":([^,]*)/.exec(`${writeJson(rowsOf(all.slice(n, n + 1)), '', '')}`)?.[1];
          return `${point.time},${level === 'null' ? '' : level},${point.frequency_hz ?? ''},${point.is_silence}\n`;
        });
        expect(`${Buffer.concat(pieces)}`).toBe(lines.join(''));
      }),
    );
  });
});
