// Calendar intervals, nights, limits by time of day, and usual levels, by the clocks of a zone.
import { describe, expect, it } from 'vitest';
import { parseLimits } from '../../src/contract/limits.ts';
import { EXAMPLE_STATISTICS } from '../../src/contract/statistics.ts';
import {
  calendarInterval,
  daysBefore,
  lastNight,
  type Preset,
} from '../../src/page/state/calendar-intervals.ts';
import { limitSteps, nightOf } from '../../src/page/state/site.ts';
import { usualLevel } from '../../src/page/state/usual-level.ts';

const at = (time: string) => Date.parse(time);
const HOUR = 3_600_000;

describe('an interval by the calendar', () => {
  it.each<[Exclude<Preset, 'last-night'>, string, string, string, string]>([
    ['today', '2026-06-10T05:00:00Z', 'Europe/Vienna', '2026-06-09T22:00:00Z', '2026-06-10T05:00:00Z'],
    ['today', '2026-06-10T05:00:00Z', 'Asia/Kolkata', '2026-06-09T18:30:00Z', '2026-06-10T05:00:00Z'],
    ['this-week', '2026-06-10T05:00:00Z', 'UTC', '2026-06-08T00:00:00Z', '2026-06-10T05:00:00Z'],
    ['this-week', '2026-06-08T00:00:01Z', 'UTC', '2026-06-08T00:00:00Z', '2026-06-08T00:00:01Z'],
    ['this-week', '2026-06-07T23:59:59Z', 'UTC', '2026-06-01T00:00:00Z', '2026-06-07T23:59:59Z'],
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

describe('the usual level', () => {
  const exceeded = { l10_db: null, l50_db: null, l90_db: null, leq_low_db: null };
  const hourOf = (time: string, leq_db: number | null) => ({
    ...EXAMPLE_STATISTICS,
    ...exceeded,
    time,
    leq_db,
  });
  const evening = { from: at('2026-03-30T21:00:00Z'), to: at('2026-03-30T22:00:00Z') };
  const usual = (...levels: [time: string, leq_db: number | null][]) =>
    usualLevel(
      levels.map((level) => hourOf(...level)),
      evening,
      'Europe/Vienna',
    );
  const days: [string, number | null][] = [
    ['2026-03-29T21:00:00Z', -30],
    ['2026-03-28T22:00:00Z', -10], // before the clocks went forward
    ['2026-03-28T21:00:00Z', -3], // another hour
    ['2026-03-27T22:00:00Z', null],
    ['2026-03-22T22:00:00Z', -3], // eight days before
  ];

  it('is the median of the levels of the seven days before, at the same local time', () => {
    expect(usual(...days, ['2026-03-23T22:00:00Z', -20])).toBeCloseTo(-20, 9);
  });

  it('is unknown with fewer than three of these days', () => {
    expect(usual(...days)).toBe(null);
  });

  it('uses the energy of whole days in longer intervals', () => {
    const night = { from: evening.from, to: evening.to + HOUR };
    const hours = [1, 2, 3].flatMap((day) =>
      [-20, -10].map((leq_db, hour) => {
        const time = at('2026-03-26T22:00:00Z') - day * 24 * HOUR + hour * HOUR;
        return hourOf(new Date(time).toISOString(), leq_db);
      }),
    );
    expect(usualLevel(hours, night, 'Europe/Vienna')).toBeCloseTo(10 * Math.log10(0.055), 9);
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
    expect(steps('2026-06-09T10:00:00Z', '2026-06-10T10:00:00Z').toSorted()).toEqual([
      ['06-09T10:00', '06-09T20:00', 55],
      ['06-09T20:00', '06-10T04:00', 45],
      ['06-10T04:00', '06-10T10:00', 55],
    ]);
  });

  it('move with the clocks', () => {
    expect(steps('2026-10-24T19:00:00Z', '2026-10-25T06:00:00Z').toSorted()).toEqual([
      ['10-24T19:00', '10-24T20:00', 55],
      ['10-24T20:00', '10-25T05:00', 45],
      ['10-25T05:00', '10-25T06:00', 55],
    ]);
  });

  it('are drawn as separate lines if steps would look like a comb', () => {
    expect(steps('2026-06-01T00:00:00Z', '2026-06-30T00:00:00Z')).toEqual([
      ['06-01T00:00', '06-30T00:00', 55],
      ['06-01T00:00', '06-30T00:00', 45],
    ]);
  });
});
