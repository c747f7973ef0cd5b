import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Points } from '../../src/points/points.ts';
import { csvRows } from '../../src/points/serialise.ts';

/** A point as its fields are written in a line. */
interface Fields {
  second: string;
  fraction: string;
  level: string;
  frequency: string;
  silence: string;
}

const line = ({ second, fraction, level, frequency, silence }: Fields) =>
  `${second}${fraction && `.${fraction}`}+00,${level || 'NaN'},${frequency || '0'},${silence}\n`;

/** The same by way of objects. */
const pointOf = ({ second, fraction, level, frequency, silence }: Fields) => ({
  time: `${second.replace(' ', 'T')}.${fraction.padEnd(6, '0')}Z`,
  rms_db: level === '' ? null : Number(level),
  frequency_hz: frequency === '' ? null : Number(frequency),
  is_silence: silence === 't',
});

const points = fc.array(
  fc.record({
    second: fc
      .date({
        min: new Date('0001-01-01T00:00:00Z'),
        max: new Date('9999-12-31T23:59:59Z'),
        noInvalidDate: true,
      })
      .map((date) => date.toISOString().slice(0, 19).replace('T', ' ')),
    fraction: fc.oneof(
      fc.constant(''),
      fc.integer({ min: 1, max: 999_999 }).map((n) => String(n).padStart(6, '0').replace(/0+$/, '')),
    ),
    level: fc.oneof(
      fc.constantFrom('', '0', '-50', '-23.4', '-1e-05', '-1.17549e-38', '-12.345679'),
      fc.integer({ min: -5000, max: 0 }).map((n) => `${n / 100}`),
    ),
    frequency: fc.oneof(
      fc.constant(''),
      fc.integer({ min: 100, max: 8000 }).map((n) => `${n}`),
    ),
    silence: fc.constantFrom('t', 'f'),
  }),
  { maxLength: 20 },
);

/** The lines as JSON. */
function pointsJson(lines: string, before?: string, after?: string) {
  return new Points({ count: lines.split('\n').length - 1, lines }).json(before, after);
}

/** The same, of any number of lines. */
async function wholeJson(lines: string, before?: string, after?: string): Promise<string> {
  return `${Buffer.concat([await pointsJson(lines, before, after)].flat())}`;
}

async function csvOf(...pieces: string[]): Promise<string> {
  const rows: Buffer[] = [];
  for await (const piece of csvRows(bytes(pieces))) rows.push(piece); // all kept: none may be written over
  return Buffer.concat(rows).toString();
}

async function* bytes(pieces: readonly string[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) yield Buffer.from(piece);
}

const LINES = '2026-01-01 00:00:00.12+00,-1e-05,440,f\n2026-01-01 00:00:01+00,NaN,0,t\n';

describe('Points', () => {
  it('writes the points in the form of the contract, numbers as the database writes them', () => {
    expect(`${pointsJson(LINES)}`).toBe(
      '[{"time":"2026-01-01T00:00:00.120000Z","rms_db":-1e-05,"frequency_hz":440,"is_silence":false},' +
        '{"time":"2026-01-01T00:00:01.000000Z","rms_db":null,"frequency_hz":null,"is_silence":true}]',
    );
  });

  it('are an array of objects to whatever serialises them', () => {
    const points = new Points({ count: 2, lines: LINES });
    expect(JSON.parse(JSON.stringify({ points })).points).toEqual(JSON.parse(`${pointsJson(LINES)}`));
  });

  it('writes one text for all who share it', () => {
    const points = new Points({ count: 2, lines: LINES });
    const text = points.json('{"points":', '}');
    expect(points.json('{"points":', '}')).toBe(text);
    expect(`${points.json('[', ']')}`).toBe(`[${pointsJson(LINES)}]`);
  });

  it('writes no points as an empty array', () => {
    expect(`${pointsJson('')}`).toBe('[]');
  });

  it('gives what JSON.stringify gives for the points', () => {
    fc.assert(
      fc.property(points, (all) => {
        const written = `${pointsJson(all.map(line).join(''))}`;
        expect(JSON.parse(written)).toEqual(all.map(pointOf));
        if (!written.includes('e-')) expect(written).toBe(JSON.stringify(all.map(pointOf)));
      }),
    );
  });

  it.each([1, 2, 3, 10, 3000, 30_000])('has room for %i lines as short as they can be', async (rows) => {
    const shortest = { second: '2026-01-01 00:00:00', fraction: '', level: '0', frequency: '', silence: 'f' };
    const all = Array(rows).fill(shortest);
    expect(JSON.parse(await wholeJson(all.map(line).join('')))).toEqual(all.map(pointOf));
  });

  it.each([0, 1, 3000, 30_000])('puts the points of %i times two lines between other texts', async (rows) => {
    const lines = LINES.repeat(rows);
    const [before, after] = ['{"ä":"'.repeat(1000), '"ü"}'.repeat(1000)];
    const [between, alone] = [await wholeJson(lines, before, after), await wholeJson(lines)];
    expect(`${between}` === `${before}${alone}${after}`).toBe(true);
  });

  it.each([
    'infinity,-1,440,f\n',
    '2026-01-01 01:00:00+01,-1,440,f\n',
    '2026-01-01 00:30:00+00:30,-1,440,f\n',
    '2026-01-01 00:00:00-03,-1,440,f\n',
    '2026-01-01 00:00:00+00,,440,f\n',
    '2026-01-01 00:00:00+00,-1,,f\n',
    '2026-01-01 00:00:00+00,-1,440,f',
    '2026-01-01 00:00:00+00,-1\n',
    '\n',
  ])('refuses %j', (lines) => {
    expect(() => pointsJson(lines)).toThrow('The lines of the points have an unknown form');
  });
});

describe('csvRows', () => {
  it.each([1, 2, 10_000, 100_000])('has room for %i lines as short as they can be', async (rows) => {
    const written = await csvOf('2026-01-01 00:00:00+00,0,0,f\n'.repeat(rows));
    expect(written === '2026-01-01T00:00:00.000000Z,0,,false\n'.repeat(rows)).toBe(true);
  });

  it('writes the rows in the form of the contract', async () => {
    expect(await csvOf(LINES)).toBe(
      '2026-01-01T00:00:00.120000Z,-1e-05,440,false\n2026-01-01T00:00:01.000000Z,,,true\n',
    );
  });

  it('gives the same wherever the pieces end', async () => {
    await fc.assert(
      fc.asyncProperty(points, fc.array(fc.nat(1000)), async (all, cuts) => {
        const text = all.map(line).join('');
        const ends = [...cuts.filter((cut) => cut < text.length).toSorted((a, b) => a - b), text.length];
        const pieces = ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
        const rows = all.map((fields) => {
          const { time, is_silence } = pointOf(fields);
          return `${time},${fields.level},${fields.frequency},${is_silence}\n`;
        });
        expect(await csvOf(...pieces)).toBe(rows.join(''));
      }),
    );
  });

  it('fails where the last line is cut off', async () => {
    await expect(csvOf(LINES, LINES.slice(0, 20))).rejects.toThrow('The last line of the points has no end');
  });
});
