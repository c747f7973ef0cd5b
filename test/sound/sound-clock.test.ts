import { describe, expect, it } from 'vitest';
import { microsOf } from '../../src/contract/instant.ts';
import { createWindowDates } from '../../src/sound/window-dates.ts';
import { BEGIN, datesWithSeed, PERCENT, play, RATE_HZ, WINDOW } from './sound-clock.ts';

describe('The clock of live sound', () => {
  it.each([-100, 0, 100])('follows the clock with a card that drifts by %i ppm, for an hour', (drift) => {
    const outcome = play({ seconds: 3600, drift });
    expect(outcome.count).toBeGreaterThan(35_900);
    expect(outcome.gaps).toEqual([]);
    expect(outcome.corrections).toEqual([]);
    expect(outcome.earliest).toBeGreaterThan(-15);
    expect(outcome.latest).toBeLessThan(15);
  });

  datesWithSeed(1);

  it.each([10, 100, 1000])('follows a card that is 1 % too fast or too slow, with windows of %i ms', (ms) => {
    for (const drift of [PERCENT, -PERCENT]) {
      const outcome = play({ seconds: 600, drift, window: (ms * RATE_HZ) / 1000 });
      expect(outcome.gaps).toEqual([]);
      expect(outcome.earliest).toBeGreaterThan(-45);
      expect(outcome.latest).toBeLessThan(45);
      expect(outcome.off * ms).toBeLessThan(3000); // until the drift is known
    }
  });

  it.each([10, 20, 100, 1000])('dates windows of %i ms within 5 ms', (ms) => {
    const outcome = play({ seconds: 600, backlog: 0.5, window: (ms * RATE_HZ) / 1000 });
    expect(outcome.count).toBeGreaterThan(599_000 / ms - 1);
    expect([outcome.earliest > -5, outcome.latest < 5]).toEqual([true, true]);
  });

  it('recognises two losses in quick succession', () => {
    const stalls = [
      { at: 60, length: 3, lost: 3 },
      { at: 64, length: 2, lost: 2 },
    ];
    const outcome = play({ seconds: 120, stalls });
    expect(outcome.gaps).toHaveLength(2);
    expect([outcome.earliest > -130, outcome.latest < 130]).toEqual([true, true]);
  });

  it('tolerates a busy machine: half a second of jitter', () => {
    const outcome = play({ seconds: 3600, drift: 100, jitter: 500 });
    expect(outcome.gaps).toEqual([]);
    expect([outcome.earliest > -60, outcome.latest < 60]).toEqual([true, true]);
  });

  it('dates the first seconds of a pipe with even jitter of 0.3 s about 0.1 s late, and none early', () => {
    const outcomes = Array.from({ length: 20 }, (_, seed) =>
      play({ seconds: 30, jitter: 300, isEven: true, chunk: 1600 }, seed + 1),
    );
    for (const { earliest, latest } of outcomes) {
      expect(earliest).toBeGreaterThanOrEqual(-1); // the clock has a resolution of 1 ms
      expect(latest).toBeLessThan(300);
    }
    const late = outcomes.map(({ firstLate }) => firstLate).sort((a, b) => a - b);
    expect(late[5]).toBeGreaterThan(57);
    expect(late[14]).toBeLessThan(101);
  });

  it('holds sound that is faster than its rate for a minute, and no longer', () => {
    const outcome = play({ seconds: 180, drift: 9 * PERCENT });
    expect(outcome.heldMs).toBeLessThan(61_000);
    expect(outcome.count).toBe(1962);
  });

  it('lets sound that never arrives in real time end now', () => {
    const dates = createWindowDates<{ from: number; to: number }>(RATE_HZ);
    const at = BEGIN;
    for (let n = 0; n < 50; n++)
      expect(dates.arrived([{ from: n * WINDOW, to: (n + 1) * WINDOW }], (n + 1) * WINDOW, at)).toEqual([]);
    const windows = dates.end([], at);
    expect([windows[0]?.time, windows.at(-1)?.time]).toEqual([
      '2025-12-31T23:59:55.000000Z',
      '2025-12-31T23:59:59.900000Z',
    ]);
  });

  it('continues if the clock of the machine is set forward or back', () => {
    for (const shift of [3_600_000, -3_600_000]) {
      const dates = createWindowDates<{ from: number; to: number }>(RATE_HZ);
      let last = 0;
      for (let n = 1; n <= 200; n++) {
        const at = BEGIN + n * 100 + (n > 100 ? shift : 0);
        for (const { time } of dates.arrived([{ from: (n - 1) * WINDOW, to: n * WINDOW }], n * WINDOW, at))
          last = Number(microsOf(time)) / 1000;
      }
      expect(last).toBe(BEGIN + 199 * 100 + shift);
    }
  });
});
