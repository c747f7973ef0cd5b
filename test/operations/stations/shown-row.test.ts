// The levels of a station's row, each on the scale of its own time.
import { expect, it } from 'vitest';
import { StationsOutput } from '../../../src/operations/stations/contract.ts';
import { shownRow } from '../../../src/operations/stations/shown-row.ts';

const row = StationsOutput.parse(StationsOutput.meta()?.examples?.[0]).stations[0] ?? expect.unreachable();
const { hours, night, scale } = row;
const past = hours?.slice(20, -1) ?? [];

it.each([
  ['stored', 80, 70, [-44.1, ...past, -44.1], -52.9, 42.1],
  ['absolute', 80, 70, [50.9, 36.1, 34.8, 35.2, 50.9], 17.1, 42.1],
  ['absolute', null, null, [50.9, null, null, null, 50.9], null, null],
  ['absolute', 0, 0, [50.9, ...past, 50.9], -52.9, 42.1],
] as const)('with %s levels, past hours take the offset %s, and the night %s', (...given) => {
  const [levels, hours_offset_db, night_offset_db, figures, leq_db, assessed_db] = given;
  const shown = shownRow({ row, hours_offset_db, night_offset_db }, levels);
  expect([shown.leq_1h_db, ...(shown.hours ?? []).slice(20)]).toEqual(figures);
  expect(shown.hours?.slice(0, 20)).toEqual(Array(20).fill(null));
  expect(shown.night).toEqual({ ...night, leq_db, assessed_db });
});

it('lacks the running hour, but not past ones, if only current levels are maxima', () => {
  const maxima = { ...row, scale: scale && { ...scale, energy_unavailable: true } };
  const shown = shownRow({ row: maxima, hours_offset_db: 80, night_offset_db: 70 }, 'stored');
  expect(shown.leq_1h_db).toBeNull();
  expect(shown.hours?.slice(20)).toEqual([...past, null]);
  expect(shown.night).toEqual(night);
});
