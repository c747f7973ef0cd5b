import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { PeriodSettings } from '../../src/contract/periods.ts';
import { UNKNOWN } from '../../src/contract/periods.ts';
import { createLiveStatus } from '../../src/recorder/live-status.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => vi.useRealTimers());

const point = (rms_db: number) => ({ time: '', rms_db, frequency_hz: null, is_silence: false });

/** Each status with its second, while a point comes every second. */
async function shown(
  isTerminal: boolean,
  seconds: number,
  waiting: () => Promise<number>,
  settings: PeriodSettings = UNKNOWN,
) {
  const lines: [second: number, line: string | undefined][] = [];
  let second = 0;
  const status = (line: string | undefined) => lines.push([second, line]);
  const clipped = () => (second > 7 ? `2 of ${second} windows` : undefined);
  const update = createLiveStatus({ isTerminal, status }, { settings, waiting, clipped });
  for (second = 1; second <= seconds; second++) {
    vi.advanceTimersByTime(1000);
    await update([point(-second)]);
  }
  return lines;
}

it('Every five seconds a terminal shows the level, the waiting points, and clipping', async () => {
  expect(await shown(true, 14, async () => 1234)).toEqual([
    [5, 'Now -5.00 dB; 5 points, 1,234 not stored yet'],
    [10, 'Now -10.00 dB; 10 points, 1,234 not stored yet; clipped in 2 of 10 windows'],
  ]);
});

it('Elsewhere the status is a line a minute, even if the folder cannot be read', async () => {
  expect(await shown(false, 130, () => Promise.reject(new Error('gone')))).toEqual([
    [60, 'Now -60.00 dB; 60 points; clipped in 2 of 60 windows'],
    [120, 'Now -120.00 dB; 120 points; clipped in 2 of 120 windows'],
  ]);
});

it('With a reference the level is a sound pressure level', async () => {
  expect(await shown(true, 5, async () => 0, { ...UNKNOWN, weighting: 'A', reference_db: 85 })).toEqual([
    [5, 'Now 80.00 dB(A); 5 points, 0 not stored yet'],
  ]);
});
