import { describe, expect, it } from 'vitest';
import { createMeter } from '../../src/sound/meter.ts';
import { noise, sampled, sine } from '../recorder/sound.ts';

const START = '2026-01-01T00:00:00.000001Z';
const options = { start: START, intervalMs: 100, silenceDb: -45 };

function measure(samples: Float32Array, rateHz: number, intervalMs = 100, silenceDb = -45) {
  const meter = createMeter({ start: START, rateHz, intervalMs, silenceDb });
  return [...meter.push([samples]), ...meter.finish()];
}

describe('The level', () => {
  it.each([
    ['a full-scale square wave', () => sampled((t) => (Math.floor(880 * t) % 2 ? 1 : -1), 44_100, 4410), 0],
    ['a full-scale sine', () => sampled(sine(440), 48_000, 4800), -3.01],
    ['a sine at a tenth', () => sampled(sine(1000, 0.1), 48_000, 4800), -23.01],
    ['noise of RMS 0.05', () => sampled(noise(0.05), 192_000, 192_000), -26.02],
    ['a constant, which counts as it does on a level meter', () => new Float32Array(800).fill(0.5), -6.02],
    ['digital silence, which is at the floor', () => new Float32Array(800), -50],
    ['sound below the floor', () => sampled(sine(440, 0.001), 8000, 800), -50],
    ['float samples beyond full scale', () => sampled(sine(440, 4), 8000, 800), 0],
  ])('of %s', (_what, samples, expected) => {
    const window = samples();
    const [point] = measure(window, 48_000, window.length / 48);
    expect(Math.abs((point?.rms_db ?? Number.NaN) - expected)).toBeLessThan(0.05);
  });

  it('is never negative zero', () => {
    const [point] = measure(new Float32Array(800).fill(0.99999), 8000);
    expect(Object.is(point?.rms_db, 0)).toBe(true);
  });
});

describe('Silence', () => {
  it('is a level below the limit, and has no frequency', () => {
    const [quiet, loud] = [sampled(sine(440, 0.0079), 8000, 800), sampled(sine(440, 0.0081), 8000, 800)];
    expect(measure(quiet, 8000)).toMatchObject([{ rms_db: -45.06, is_silence: true, frequency_hz: null }]);
    expect(measure(loud, 8000)).toMatchObject([{ rms_db: -44.84, is_silence: false, frequency_hz: 440 }]);
  });

  it('can have the floor as its limit', () => {
    expect(measure(new Float32Array(800), 8000, 100, -50)).toMatchObject([{ rms_db: -50, is_silence: true }]);
  });
});

describe('The windows', () => {
  it('do not drift at a rate without a whole number of samples per window', () => {
    const samples = new Float32Array(11_025 * 60); // 1102.5 samples per 100 ms
    for (let k = 0; k < 600; k++) samples[Math.round(k * 1102.5)] = 1;
    const points = measure(samples, 11_025);
    expect(points).toHaveLength(600);
    for (const { rms_db } of points) expect(rms_db).toBeCloseTo(-30.42, 1); // one click in each
  });

  it('hold exactly their own samples', () => {
    const samples = new Float32Array(2400);
    samples.fill(1, 800, 1600);
    expect(measure(samples, 8000).map((point) => point.rms_db)).toEqual([-50, 0, -50]);
  });

  it('carry their start time, to the microsecond', () => {
    expect(measure(new Float32Array(8000 * 2), 8000, 250).map((point) => point.time)).toEqual([
      '2026-01-01T00:00:00.000001Z',
      '2026-01-01T00:00:00.250001Z',
      '2026-01-01T00:00:00.500001Z',
      '2026-01-01T00:00:00.750001Z',
      '2026-01-01T00:00:01.000001Z',
      '2026-01-01T00:00:01.250001Z',
      '2026-01-01T00:00:01.500001Z',
      '2026-01-01T00:00:01.750001Z',
    ]);
  });

  it('at the end are measured if they fill half an interval, and never padded', () => {
    expect(measure(new Float32Array(800 + 400).fill(1), 8000)).toMatchObject([{ rms_db: 0 }, { rms_db: 0 }]);
    expect(measure(new Float32Array(800 + 399).fill(1), 8000)).toHaveLength(1);
    expect(measure(new Float32Array(399), 8000)).toEqual([]);
  });

  it('are refused if they would hold no sample', () => {
    expect(() => createMeter({ ...options, rateHz: 9 })).toThrow(
      'an interval of 100 ms holds no sample at 9 samples per second',
    );
  });

  it('are refused past the year 9999', () => {
    const meter = createMeter({ ...options, start: '9999-12-31T23:59:59.950000Z', rateHz: 8000 });
    expect(meter.push([new Float32Array(800)])).toHaveLength(1);
    expect(() => meter.push([new Float32Array(800)])).toThrow('would reach beyond the year 9999');
  });
});
