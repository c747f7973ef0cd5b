// How the page reads its address, and how it follows fingers.
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseLimits } from '../../src/contract/limits.ts';
import { intervalUnder } from '../../src/page/charts/touch.ts';
import { intervalOf, stepOf } from '../../src/page/state/shown-interval.ts';
import { BROWSER_ZONE, setSite } from '../../src/page/state/site.ts';
import { DEFAULT_VIEW, readView, writeView } from '../../src/page/state/view-in-address.ts';
import { NOT_RECORDED } from '../scales.ts';

describe('the address', () => {
  it.each([
    '',
    '?from=now-7d&to=now',
    '?from=2026-01-01T00:00:00.000Z&to=2026-01-02T00:00:00.000Z',
    '?from=2026-01-01T00:00:00.000Z&to=now&live=off',
    '?from=now-2h&to=now-1h',
    '?from=2026-01-01T01:00:00%2B01:00&to=now-1d',
    '?show=last-night&time_zone=Europe/Vienna',
    '?show=year',
    '?show=2025',
  ])('is %j after reading and writing it', (search) => {
    const { view, wrong } = readView(search);
    expect([wrong, writeView(view)]).toEqual([[], search]);
  });

  it.each([
    ['?from=yesterday', ['from']],
    ['?from=2026-01-01T00:00:00', ['from']],
    ['?from=2026-02-30T00:00:00Z', ['from']],
    ['?from=now-0h', ['from', 'to']],
    ['?from=now-1h&to=now-2h', ['from', 'to']],
    ['?from=now-9999d', ['from', 'to']],
    ['?from=2019-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', ['from', 'to']],
    ['?from=now-999999d', ['from']],
    ['?to=later', ['to']],
    ['?from=now-1h&to=2026-01-01T00:00:00Z', ['from', 'to']],
    ['?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', ['from', 'to']],
    ['?from=9999-01-01T00:00:00Z&to=now', ['from', 'to']],
    ['?live=', ['live']],
    ['?show=yesterday', ['show']],
    ['?show=0099', ['show']],
    ['?time_zone=Mars/Olympus', ['time_zone']],
    ['?time_zone=%2B05:45', ['time_zone']],
    ['?live=yes', ['live']],
    ['?live=constructor', ['live']],
    ['?live=off&live=on', ['live']],
  ])('names the mistakes in %j, and uses the defaults instead', (search, names) => {
    expect(readView(search)).toEqual({ view: DEFAULT_VIEW, wrong: names });
  });

  it.each([
    '?threshold=-22.5',
    '?threshold=loud',
    '?above_background=12',
    '?compare=now-7d',
    '?view=table',
    '?unknown=1&unknown=2',
  ])('may have parameters of other versions, such as %j', (search) => {
    expect(readView(search)).toEqual({ view: DEFAULT_VIEW, wrong: [] });
    const { view, wrong } = readView(`?from=now-7d&to=now&${search.slice(1)}`);
    expect([wrong, writeView(view)]).toEqual([[], '?from=now-7d&to=now']);
  });

  it('leads to an interval that moves with the clock, or to a fixed one', () => {
    const now = Date.parse('2026-01-02T00:00:00Z');
    const to = (search: string) => intervalOf(readView(search).view, now, 'Europe/Vienna');
    expect(to('?from=now-90s&to=now')).toEqual({ from: now - 90_000, to: now });
    expect(to('?from=now-90s&to=now-60s')).toEqual({ from: now - 90_000, to: now - 60_000 });
    expect(to('?show=today')).toEqual({ from: Date.parse('2026-01-01T23:00:00Z'), to: now });
    // the night by the place's limits and time zone, whatever zone the page shows
    setSite({ time_zone: 'Asia/Kolkata', limits: parseLimits('06-22=55,22-06=45') ?? [], ...NOT_RECORDED });
    onTestFinished(() => setSite({ time_zone: BROWSER_ZONE, limits: [], ...NOT_RECORDED }));
    expect(to('?show=last-night')).toEqual({
      from: Date.parse('2025-12-31T16:30:00Z'),
      to: Date.parse('2026-01-01T00:30:00Z'),
    });
    // an unescaped plus is a space
    expect(to('?from=2026-01-01T01:00:00+01:00&to=now')).toEqual({ from: now - 86_400_000, to: now });
    expect(to('?from=2026-01-01T00:00:00Z&to=2026-01-01T01:00:00Z')).toEqual({
      from: now - 86_400_000,
      to: now - 23 * 3_600_000,
    });
  });
});

it.each([
  ['now-10s', 10],
  ['now-15m', 10],
  ['now-2h', 10],
  ['now-3h', 30],
  ['now-24h', 60],
  ['now-7d', 300],
  ['now-1800d', 300],
])('an interval from %s to now moves every %d s', (from, seconds) => {
  expect(stepOf(intervalOf({ from, to: 'now', preset: null }, Date.now(), 'UTC'))).toBe(seconds * 1000);
});

describe('fingers', () => {
  const interval = { from: 1000, to: 2000 };

  it('pan: the point under one finger moves with it', () => {
    expect(intervalUnder(interval, [0.5], [0.25])).toEqual({ from: 1250, to: 2250 });
  });

  it('zoom in when two spread, and out when they pinch, around the point between them', () => {
    expect(intervalUnder(interval, [0.25, 0.75], [0, 1])).toEqual({ from: 1250, to: 1750 });
    expect(intervalUnder(interval, [0, 1], [0.25, 0.75])).toEqual({ from: 500, to: 2500 });
    expect(intervalUnder(interval, [0.4, 0.6], [0.6, 0.8])).toEqual({ from: 800, to: 1800 });
  });

  it('leave the interval unchanged if two of them meet', () => {
    expect(intervalUnder(interval, [0.4, 0.6], [0.5, 0.5])).toEqual(interval);
  });
});
