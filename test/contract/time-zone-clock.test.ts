// The clocks of a zone around their changes, against times that Intl formats minute by minute.
import { expect, it } from 'vitest';
import { isTimeZone, isZone, timeZoneClock } from '../../src/contract/time-zone-clock.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;

/** The time that the clocks show, read from its parts. Offsets play no role in it. */
function reader(timeZone: string): (instant: number) => number {
  const form = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric' } as const;
  const format = new Intl.DateTimeFormat('en', {
    ...form,
    timeZone,
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  });
  return (instant) => {
    const parts = Object.fromEntries(
      format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  };
}

it.each([
  ['Europe/Vienna', '2026-03-29T01:00:00Z', 2 * HOUR],
  ['Europe/Vienna', '2026-10-25T01:00:00Z', HOUR],
  ['America/St_Johns', '2006-04-02T03:31:00Z', -2.5 * HOUR], // at one minute past midnight
  ['America/St_Johns', '2006-10-29T02:31:00Z', -3.5 * HOUR],
  ['America/St_Johns', '1988-04-03T03:31:00Z', -1.5 * HOUR], // by two hours
  ['America/St_Johns', '1935-03-30T03:30:52Z', -3.5 * HOUR], // until then 3:30:52 behind
  ['Australia/Lord_Howe', '2026-04-04T15:00:00Z', 10.5 * HOUR], // by half an hour
  ['Australia/Lord_Howe', '2026-10-03T15:30:00Z', 11 * HOUR],
  ['Antarctica/Troll', '2026-03-29T01:00:00Z', 2 * HOUR],
  ['America/Santiago', '2026-04-05T03:00:00Z', -4 * HOUR],
  ['America/Santiago', '2026-09-06T04:00:00Z', -3 * HOUR],
  ['Africa/Casablanca', '2026-02-15T02:00:00Z', 0],
  ['Pacific/Apia', '2011-12-30T10:00:00Z', 14 * HOUR], // skips a date
  ['America/Juneau', '1867-10-19T00:32:13Z', -32_261 * SECOND], // repeats a date
  ['Asia/Kathmandu', '1985-12-31T18:30:00Z', 5.75 * HOUR],
  ['Asia/Kolkata', '2026-06-01T00:00:00Z', 5.5 * HOUR],
  ['+05:45', '2026-06-01T00:00:00Z', 5.75 * HOUR],
])('in %s around %s', (zone, change, after) => {
  const clock = timeZoneClock(zone);
  const shownAt = reader(zone);
  const at = Date.parse(change);
  expect(clock.offsetAt(at)).toBe(after);
  const instants: number[] = [];
  for (let instant = at - 1.5 * DAY; instant < at + 1.5 * DAY; instant += 60 * SECOND) instants.push(instant);
  const shown = instants.map(shownAt);
  expect(instants.map(clock.shows)).toEqual(shown);
  const [first = 0, last = 0] = [shown[0], shown.at(-1)];
  // each time within is shown by one or two of these instants; at the ends, the other one may lie outside
  const within = shown.filter((time) => time > first + DAY && time < last - DAY);
  for (const time of within.filter((_, index) => index % 7 === 0))
    expect(clock.instantsOf(time)).toEqual(instants.filter((_, index) => shown[index] === time));
  const before = shownAt(at - SECOND) + SECOND;
  for (let time = before; time < shownAt(at); time += 600 * SECOND)
    expect([clock.instantsOf(time), clock.firstAt(time)]).toEqual([[], at]);
  for (let time = shownAt(at); time < before; time += 600 * SECOND)
    expect([clock.instantsOf(time), clock.firstAt(time)]).toEqual([
      [time - (before - at), time - after],
      time - (before - at),
    ]);
});

it('knows zones by name, and offsets only if they are allowed', () => {
  const texts = ['Europe/Vienna', 'UTC', '+01:00', '-0330', 'Vienna', '', 'Europe/Vienna '];
  expect(texts.filter(isTimeZone)).toEqual(['Europe/Vienna', 'UTC']);
  expect(texts.filter(isZone)).toEqual(['Europe/Vienna', 'UTC', '+01:00', '-0330']);
  expect(() => timeZoneClock('Vienna')).toThrow(RangeError);
});
