// The labels of the time axis: dates have weekdays, up to steps of two weeks.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { timeTicks } from '../../src/page/charts/chart-axes.ts';
import { setSite } from '../../src/page/state/site.ts';
import { NOT_RECORDED } from '../scales.ts';

const HOUR = 3600;
const START = Date.parse('2026-06-06T12:00:00Z') / 1000; // a Saturday

beforeEach(() => {
  vi.useFakeTimers({ now: START * 1000 });
  vi.stubGlobal('location', { search: '' });
  setSite({ time_zone: 'UTC', limits: [], ...NOT_RECORDED });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it.each([
  [6 * HOUR, ['12:00 PM\nSat, Jun 6', '6:00 PM', '12:00 AM\nSun, Jun 7']],
  [24 * HOUR, ['Sat\nJun 6', 'Sun\nJun 7', 'Mon\nJun 8']],
  [30 * 24 * HOUR, ['Jun 6', 'Jul 6', 'Aug 5']],
])('labels in steps of %d s are %j', (step, words) => {
  const ticks = words.map((_, index) => START + index * step);
  expect(timeTicks(undefined, ticks).map((word) => word.replaceAll('\u202f', ' '))).toEqual(words);
});
