// Intervals by the calendar, hours in rows of days, and limits by time of day, as the clocks of a zone show them.
import { describe, expect, it } from 'vitest';
import { parseLimits } from '../../src/contract/limits.ts';
import { limitSteps } from '../../src/page/charts/limit-steps.ts';
import { type HourCell, hourRows } from '../../src/page/panels/hour-rows.ts';
import { calendarInterval, daysBefore, type Preset } from '../../src/page/state/calendar-intervals.ts';

const at = (time: string) => Date.parse(time);
const HOUR = 3_600_000;

describe('an interval by the calendar', () => {
  it.each<[Preset, string, string, string, string]>([
    ['today', '2026-06-10T05:00:00Z', 'Europe/Vienna', '2026-06-09T22:00:00Z', '2026-06-10T05:00:00Z'],
    ['today', '2026-06-10T05:00:00Z', 'Asia/Kolkata', '2026-06-09T18:30:00Z', '2026-06-10T05:00:00Z'],
    ['this-week', '2026-06-10T05:00:00Z', 'UTC', '2026-06-08T00:00:00Z', '2026-06-10T05:00:00Z'],
    ['this-week', '2026-06-08T00:00:01Z', 'UTC', '2026-06-08T00:00:00Z', '2026-06-08T00:00:01Z'],
    ['this-week', '2026-06-07T23:59:59Z', 'UTC', '2026-06-01T00:00:00Z', '2026-06-07T23:59:59Z'],
    ['last-night', '2026-06-10T12:00:00Z', 'UTC', '2026-06-09T23:00:00Z', '2026-06-10T07:00:00Z'],
    ['last-night', '2026-06-10T02:00:00Z', 'UTC', '2026-06-09T23:00:00Z', '2026-06-10T02:00:00Z'],
    ['last-night', '2026-06-10T23:30:00Z', 'UTC', '2026-06-09T23:00:00Z', '2026-06-10T07:00:00Z'],
    // clocks go forward in it: an hour less
    ['last-night', '2026-03-29T12:00:00Z', 'Europe/Vienna', '2026-03-28T22:00:00Z', '2026-03-29T05:00:00Z'],
    // and back: an hour more
    ['last-night', '2026-10-25T12:00:00Z', 'Europe/Vienna', '2026-10-24T21:00:00Z', '2026-10-25T06:00:00Z'],
    // the first moment of a day
    ['today', '2026-06-10T00:00:00Z', 'UTC', '2026-06-09T23:00:00Z', '2026-06-10T00:00:00Z'],
  ])('%s at %s in %s', (preset, now, zone, from, to) => {
    expect(calendarInterval(preset, at(now), zone)).toEqual({ from: at(from), to: at(to) });
  });

  it('some days before begins at the same time of day, also across a change of the clocks', () => {
    const night = { from: at('2026-03-30T21:00:00Z'), to: at('2026-03-31T05:00:00Z') };
    expect(daysBefore(night, 7, 'Europe/Vienna')).toEqual({
      from: at('2026-03-23T22:00:00Z'),
      to: at('2026-03-24T06:00:00Z'),
    });
  });
});

describe('hours in rows of days', () => {
  const hours = (from: string, count: number): HourCell[] =>
    Array.from({ length: count }, (_, place) => {
      const start = at(from) + place * HOUR;
      return { from: start, to: start + HOUR, value: place, short: String(place), long: '' };
    });
  const shown = (from: string, count: number, zone: string) =>
    hourRows(hours(from, count), zone).map(({ date, cells }) => [
      new Date(date).toISOString().slice(0, 10),
      cells.map((cell) => cell?.value ?? null),
    ]);

  it('stand at their hour', () => {
    expect(shown('2026-06-09T20:00:00Z', 4, 'Europe/Vienna')).toEqual([
      ['2026-06-09', [...Array(22).fill(null), 0, 1]],
      ['2026-06-10', [2, 3, ...Array(22).fill(null)]],
    ]);
  });

  it('skip the one that the clocks skip, and show the louder of the one that comes twice', () => {
    const [[, spring] = []] = shown('2026-03-28T23:00:00Z', 23, 'Europe/Vienna');
    expect(spring).toEqual([0, 1, null, ...Array.from({ length: 21 }, (_, i) => i + 2)]);
    const [[, autumn] = []] = shown('2026-10-24T22:00:00Z', 25, 'Europe/Vienna');
    expect(autumn).toEqual([0, 1, 3, ...Array.from({ length: 21 }, (_, i) => i + 4)]);
  });
});

describe('limits by time of day', () => {
  const limits = parseLimits('06-22=55,22-06=45') ?? [];
  const steps = (from: string, to: string) =>
    limitSteps(limits, { from: at(from), to: at(to) }, 'Europe/Vienna', 94).map(({ from, to, db }) => [
      new Date(from).toISOString().slice(5, 16),
      new Date(to).toISOString().slice(5, 16),
      db,
    ]);

  it('are steps, cut to the interval, on the scale of what is stored', () => {
    expect(steps('2026-06-09T10:00:00Z', '2026-06-10T10:00:00Z').toSorted()).toEqual([
      ['06-09T10:00', '06-09T20:00', -39],
      ['06-09T20:00', '06-10T04:00', -49],
      ['06-10T04:00', '06-10T10:00', -39],
    ]);
  });

  it('move with the clocks', () => {
    expect(steps('2026-10-24T19:00:00Z', '2026-10-25T06:00:00Z').toSorted()).toEqual([
      ['10-24T19:00', '10-24T20:00', -39],
      ['10-24T20:00', '10-25T05:00', -49],
      ['10-25T05:00', '10-25T06:00', -39],
    ]);
  });

  it('are a line each where steps would be a comb', () => {
    expect(steps('2026-06-01T00:00:00Z', '2026-06-30T00:00:00Z')).toEqual([
      ['06-01T00:00', '06-30T00:00', -39],
      ['06-01T00:00', '06-30T00:00', -49],
    ]);
  });
});
