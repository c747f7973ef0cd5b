import { describe, expect, it } from 'vitest';
import { INSTANT_LENGTH, putInstant } from '../../src/points/instant-text.ts';
import { engineOfWire, openForAll } from '../engines.ts';

const room = Buffer.alloc(64);
const view = new DataView(room.buffer, room.byteOffset, room.length);

/** @param micros since 2000 */
function written(micros: bigint): string {
  const end = putInstant(view, 0, Number(micros >> 32n), Number(micros & 0xffff_ffffn));
  return room.toString('latin1', 0, end);
}

const micros = (time: string) => BigInt(Date.parse(time) - Date.UTC(2000, 0)) * 1000n;
const FIRST = micros('0001-01-01T00:00:00Z');
const LAST = micros('9999-12-31T23:59:59.999Z') + 999n;
const HALF = 2n ** 32n;

const random = (from: bigint, to: bigint) =>
  from + (BigInt(Math.floor(Math.random() * 2 ** 53)) * (to - from)) / 2n ** 53n;
const around = (middle: bigint) => Array.from({ length: 21 }, (_, n) => middle + BigInt(n) - 10n);

const TIMES = [
  ...around(FIRST + 10n),
  ...around(LAST - 10n),
  ...around(0n),
  ...[-3n, -2n, -1n, 1n, 2n, 3n].flatMap((n) => around(n * HALF)),
  ...[
    '1900-03-01',
    '1970-01-01',
    '1999-12-31',
    '2000-02-29',
    '2026-01-01',
    '0099-12-31',
    '0100-03-01',
  ].flatMap((day) => around(micros(`${day}T00:00:00Z`))),
  ...Array.from({ length: 2000 }, () => random(FIRST, LAST)),
  ...Array.from({ length: 2000 }, () => random(micros('2020-01-01'), micros('2030-01-01'))),
];

describe('putInstant', () => {
  const test = openForAll(() => engineOfWire().open());

  it('writes times of the years 1 to 9999 as to_char does', async () => {
    // in two steps, because an interval of so many microseconds is not exact
    const rows = await test.sql(
      `select to_char(timestamp '2000-01-01' + micros / 1000000 * interval '1 s' + micros % 1000000 * interval '1 us',
         'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as text
       from unnest($1::bigint[]) with ordinality as given(micros, n) order by n`,
      [TIMES.map(String)],
    );
    const wrong = TIMES.map((time, n) => ({ time, text: written(time), wanted: rows?.[n]?.text })).filter(
      ({ text, wanted }) => text !== wanted,
    );
    expect(wrong.slice(0, 10)).toEqual([]);
    for (const time of TIMES) expect(written(time)).toHaveLength(INSTANT_LENGTH);
  });
});
