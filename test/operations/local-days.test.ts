import { expect, it } from 'vitest';
import {
  calendarCount,
  calendarStarts,
  DAY,
  HOUR,
  localDays,
  localHours,
  shownCount,
  startOfDate,
} from '../../src/operations/local-days.ts';

const HOURS = { day_start: 7, evening_start: 19, night_start: 23 };

function days(zone: string, from: string, to: string, hours = HOURS) {
  const full = (instant: string) => `${instant}:00.000000Z`;
  const all = localDays({ from: full(from), to: full(to) }, zone, hours, 3660);
  return all.map(({ date, starts }) => [date, ...starts.map((start) => start.slice(0, 16))]);
}

it('leaves out a date that the zone skips, and keeps the night before it whole', () => {
  // Samoa went from 29 to 31 December 2011 at midnight, from UTC-10 to UTC+14
  expect(days('Pacific/Apia', '2011-12-30T09:30', '2011-12-31T00:00')).toEqual([
    ['2011-12-29', '2011-12-29T17:00', '2011-12-30T05:00', '2011-12-30T09:00', '2011-12-30T17:00'],
    ['2011-12-31', '2011-12-30T17:00', '2011-12-31T05:00', '2011-12-31T09:00', '2011-12-31T17:00'],
  ]);
});

it('finds a clock change within a second of a sample, at any fraction of a second', () => {
  const [from, to] = ['2026-03-28T01:00:00.500000Z', '2026-03-30T00:00:00.000000Z'];
  const all = localDays({ from, to }, 'Europe/Vienna', HOURS, 3660);
  expect(all.map(({ starts }) => starts[0])).toEqual([
    '2026-03-27T06:00:00.000000Z',
    '2026-03-28T06:00:00.000000Z',
    '2026-03-29T05:00:00.000000Z',
  ]);
});

it('accepts the last day that ends in year 9999, and the first that starts in year 0001', () => {
  expect(days('UTC', '9999-12-31T01:00', '9999-12-31T02:00').map(([date]) => date)).toEqual(['9999-12-30']);
  expect(days('UTC', '0001-01-01T08:00', '0001-01-01T09:00').map(([date]) => date)).toEqual(['0001-01-01']);
});

it('starts a skipped hour at the clock change', () => {
  // Troll skips 01:00 to 03:00, so a day from 02:00 to 03:00 has no length
  const hours = { day_start: 2, evening_start: 3, night_start: 23 };
  expect(days('Antarctica/Troll', '2026-03-29T02:00', '2026-03-29T03:00', hours)).toEqual([
    ['2026-03-29', '2026-03-29T01:00', '2026-03-29T01:00', '2026-03-29T21:00', '2026-03-30T00:00'],
  ]);
});

it('starts a repeated hour at its first occurrence', () => {
  // Vienna reaches 02:00 twice: at 00:00 and at 01:00 UTC
  const hours = { day_start: 2, evening_start: 19, night_start: 23 };
  expect(days('Europe/Vienna', '2026-10-25T00:00', '2026-10-25T00:30', hours)).toEqual([
    ['2026-10-25', '2026-10-25T00:00', '2026-10-25T18:00', '2026-10-25T22:00', '2026-10-26T01:00'],
  ]);
});

it.each([
  'Pacific/Apia',
  'Antarctica/Troll',
  'Africa/Casablanca',
  'Africa/Cairo',
  'America/Sao_Paulo', // changes at midnight
  'America/Santiago',
  'Australia/Lord_Howe',
  'Asia/Gaza',
])('assigns every instant of a year in %s to exactly one day', (zone) => {
  for (const hours of [HOURS, { day_start: 0, evening_start: 1, night_start: 2 }]) {
    const [from, to] = ['2011-01-01T00:00', '2012-01-02T00:00'];
    const all = days(zone, from, to, hours);
    const cuts = all.flatMap((day) => day.slice(1));
    expect([hours, cuts]).toEqual([hours, cuts.toSorted()]);
    expect([hours, new Set(all.map(([date]) => date)).size]).toEqual([hours, all.length]);
    expect(cuts[0] ?? '').toSatisfy((first: string) => first <= from);
    expect(cuts.at(-1) ?? '').toSatisfy((last: string) => last >= to);
    all.slice(1).forEach((day, index) => {
      expect([hours, day[1]]).toEqual([hours, all[index]?.[4]]);
    });
  }
});

it.each([
  ['Europe/Vienna', '2026-10-01', '2026-09-30T22:00'],
  ['Europe/Vienna', '2026-11-01', '2026-10-31T23:00'],
  // Casablanca's clocks go back in the night to 15 February, for Ramadan, and ahead in the night to 22 March
  ['Africa/Casablanca', '2026-02-15', '2026-02-14T23:00'],
  ['Africa/Casablanca', '2026-02-16', '2026-02-16T00:00'],
  ['Africa/Casablanca', '2026-03-23', '2026-03-22T23:00'],
  ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00'],
  ['Australia/Lord_Howe', '2026-04-06', '2026-04-05T13:30'],
  // Apia skips a date; Santiago skips a midnight in spring, and goes back just before midnight in autumn
  ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00'],
  ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00'],
  ['America/Santiago', '2026-09-06', '2026-09-06T04:00'],
  ['America/Santiago', '2026-04-05', '2026-04-05T04:00'],
])('in %s, starts the date %s when clocks first show it', (zone, date, start) => {
  expect(startOfDate(date, zone)).toBe(`${start}:00.000000Z`);
});

it.each([
  ['Europe/Vienna', '2026-03-01T22:30', '2026-11-30T23:00'],
  ['Asia/Kathmandu', '2025-12-31T18:14', '2026-01-31T18:16'],
  ['Pacific/Apia', '2011-12-01T09:30', '2012-01-31T00:01'],
])('counts the days and the hours of %s without listing them', (zone, from, to) => {
  const interval = { from: `${from}:00.000000Z`, to: `${to}:00.000001Z` };
  const hours = localHours(interval, zone).length - 1;
  expect(shownCount(interval, zone, HOUR)).toBe(hours);
  expect(shownCount(interval, zone, DAY, 7)).toBe(localDays(interval, zone, HOURS, 3660).length);
});

it.each([
  ['1w', 'UTC', '2026-11-29T23:59', ['2026-11-23T00:00', '2026-11-30T00:00']],
  ['1w', 'UTC', '1969-12-31T00:00', ['1969-12-29T00:00', '1970-01-05T00:00']],
  ['1w', 'Asia/Kathmandu', '2026-11-29T18:15', ['2026-11-29T18:15', '2026-12-06T18:15']],
  ['1mo', 'Europe/Vienna', '2026-03-31T22:00', ['2026-03-31T22:00', '2026-04-30T22:00']],
  ['1mo', 'Europe/Vienna', '2026-03-31T21:59', ['2026-02-28T23:00', '2026-03-31T22:00']],
  ['1mo', 'America/Sao_Paulo', '2026-02-28T12:00', ['2026-02-01T03:00', '2026-03-01T03:00']],
  // on the first of November 2009, clocks in Newfoundland reached midnight twice
  ['1mo', 'America/St_Johns', '2009-11-01T02:50', ['2009-11-01T02:30', '2009-12-01T03:30']],
  ['1y', 'UTC', '0001-06-01T00:00', ['0001-01-01T00:00', '0002-01-01T00:00']],
  ['1y', 'UTC', '9998-12-31T00:00', ['9998-01-01T00:00', '9999-01-01T00:00']],
] as const)('finds the %s in %s that holds %s', (unit, zone, at, expected) => {
  const interval = { from: `${at}:00.000000Z`, to: `${at}:00.000001Z` };
  expect(calendarStarts(interval, zone, unit).map((start) => start.slice(0, 16))).toEqual(expected);
});

it.each(['Europe/Vienna', 'Asia/Kolkata', 'Pacific/Apia', 'America/Sao_Paulo'])(
  'counts the weeks, months and years of %s without listing them',
  (zone) => {
    const interval = { from: '2009-12-31T23:30:00.000000Z', to: '2020-02-29T12:00:00.000001Z' };
    for (const unit of ['1w', '1mo', '1y'] as const)
      expect(calendarCount(interval, zone, unit)).toBe(calendarStarts(interval, zone, unit).length - 1);
  },
);
