// Calendar intervals, nights, and limits by time of day, by the clocks of a zone.
import { describe, expect, it } from 'vitest';
import { parseLimits } from '../../src/contract/limits.ts';
import {
  aroundNight,
  calendarInterval,
  daysBefore,
  lastNight,
  type Year,
} from '../../src/page/state/calendar-intervals.ts';
import { limitSteps, nightOf } from '../../src/page/state/site.ts';

const at = (time: string) => Date.parse(time);

describe('an interval by the calendar', () => {
  it.each<['today' | 'this-week' | Year, string, string, string, string]>([
    ['today', '2026-06-10T05:00:00Z', 'Europe/Vienna', '2026-06-09T22:00:00Z', '2026-06-10T05:00:00Z'],
    ['today', '2026-06-10T05:00:00Z', 'Asia/Kolkata', '2026-06-09T18:30:00Z', '2026-06-10T05:00:00Z'],
    ['this-week', '2026-06-10T05:00:00Z', 'UTC', '2026-06-08T00:00:00Z', '2026-06-10T05:00:00Z'],
    ['this-week', '2026-06-08T00:00:01Z', 'UTC', '2026-06-08T00:00:00Z', '2026-06-08T00:00:01Z'],
    ['this-week', '2026-06-07T23:59:59Z', 'UTC', '2026-06-01T00:00:00Z', '2026-06-07T23:59:59Z'],
    ['year', '2026-06-10T05:00:00Z', 'Europe/Vienna', '2025-12-31T23:00:00Z', '2026-06-10T05:00:00Z'],
    ['2025', '2026-06-10T05:00:00Z', 'Europe/Vienna', '2024-12-31T23:00:00Z', '2025-12-31T23:00:00Z'],
    // the first moment of a day
    ['today', '2026-06-10T00:00:00Z', 'UTC', '2026-06-09T23:00:00Z', '2026-06-10T00:00:00Z'],
  ])('%s at %s in %s', (preset, now, zone, from, to) => {
    expect(calendarInterval(preset, at(now), zone)).toEqual({ from: at(from), to: at(to) });
  });

  it('some days before starts at the same time of day, even across a clock change', () => {
    const night = { from: at('2026-03-30T21:00:00Z'), to: at('2026-03-31T05:00:00Z') };
    expect(daysBefore(night, 7, 'Europe/Vienna')).toEqual({
      from: at('2026-03-23T22:00:00Z'),
      to: at('2026-03-24T06:00:00Z'),
    });
  });
});

describe('last night', () => {
  it.each([
    ['', '2026-06-10T12:00:00Z', 'UTC', '2026-06-09T23:00:00Z', '2026-06-10T07:00:00Z'],
    ['', '2026-06-10T07:00:00Z', 'UTC', '2026-06-09T23:00:00Z', '2026-06-10T07:00:00Z'],
    // a night in progress does not count yet
    ['', '2026-06-10T06:59:59Z', 'UTC', '2026-06-08T23:00:00Z', '2026-06-09T07:00:00Z'],
    ['', '2026-06-10T23:30:00Z', 'UTC', '2026-06-09T23:00:00Z', '2026-06-10T07:00:00Z'],
    // clocks go forward during the night: an hour less
    ['', '2026-03-29T12:00:00Z', 'Europe/Vienna', '2026-03-28T22:00:00Z', '2026-03-29T05:00:00Z'],
    // clocks go back: an hour more
    ['', '2026-10-25T12:00:00Z', 'Europe/Vienna', '2026-10-24T21:00:00Z', '2026-10-25T06:00:00Z'],
    // the time of the limit that covers midnight, or else of the day's last limit
    [
      '06-22=55,22-06=45',
      '2026-06-10T12:00:00Z',
      'Europe/Vienna',
      '2026-06-09T20:00:00Z',
      '2026-06-10T04:00:00Z',
    ],
    ['00-05:30=40,06-22=55', '2026-06-10T12:00:00Z', 'UTC', '2026-06-10T00:00:00Z', '2026-06-10T05:30:00Z'],
    ['00-05:30=40,06-22=55', '2026-06-10T05:00:00Z', 'UTC', '2026-06-09T00:00:00Z', '2026-06-09T05:30:00Z'],
    ['07-19=55,19-23=50', '2026-06-10T12:00:00Z', 'UTC', '2026-06-09T19:00:00Z', '2026-06-09T23:00:00Z'],
    ['00-24=50', '2026-06-10T12:00:00Z', 'UTC', '2026-06-09T00:00:00Z', '2026-06-10T00:00:00Z'],
  ])('with the limits %j at %s in %s', (limits, now, zone, from, to) => {
    const night = nightOf(parseLimits(limits) ?? []);
    expect(lastNight(at(now), zone, night)).toEqual({ from: at(from), to: at(to) });
  });
});

describe('limits by time of day', () => {
  const limits = parseLimits('06-22=55,22-06=45') ?? [];
  const steps = (from: string, to: string) =>
    limitSteps(limits, { from: at(from), to: at(to) }, 'Europe/Vienna').map(({ from, to, db }) => [
      new Date(from).toISOString().slice(5, 16),
      new Date(to).toISOString().slice(5, 16),
      db,
    ]);

  it('are steps, cut to the interval, in dB', () => {
    expect(steps('2026-06-09T10:00:00Z', '2026-06-10T10:00:00Z')).toEqual([
      ['06-09T10:00', '06-09T20:00', 55],
      ['06-09T20:00', '06-10T04:00', 45],
      ['06-10T04:00', '06-10T10:00', 55],
    ]);
  });

  it('move with the clocks', () => {
    expect(steps('2026-10-24T19:00:00Z', '2026-10-25T06:00:00Z')).toEqual([
      ['10-24T19:00', '10-24T20:00', 55],
      ['10-24T20:00', '10-25T05:00', 45],
      ['10-25T05:00', '10-25T06:00', 55],
    ]);
  });

  it('are steps in a month as in a day', () => {
    expect(steps('2026-06-01T00:00:00Z', '2026-07-01T00:00:00Z')).toHaveLength(61);
  });
});

describe('the night on a phone', () => {
  it.each([
    // at rest, with the hours around it
    ['2026-06-10T12:00:00Z', '2026-06-09T18:00:00Z', '2026-06-10T04:45:00Z'],
    ['2026-06-10T04:10:00Z', '2026-06-09T18:00:00Z', '2026-06-10T04:10:00Z'],
    // while it runs
    ['2026-06-10T02:00:00Z', '2026-06-09T18:00:00Z', '2026-06-10T02:00:00Z'],
    ['2026-06-10T20:00:01Z', '2026-06-10T18:00:00Z', '2026-06-10T20:00:01Z'],
    ['2026-06-10T19:59:00Z', '2026-06-09T18:00:00Z', '2026-06-10T04:45:00Z'],
  ])('at %s', (now, from, to) => {
    const night = nightOf(parseLimits('06-22=55,22-06=45') ?? []);
    expect(aroundNight(at(now), 'Europe/Vienna', night)).toEqual({ from: at(from), to: at(to) });
  });
});
