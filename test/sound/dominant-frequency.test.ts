import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFrequencyMeter } from '../../src/sound/dominant-frequency.ts';
import { noise, sampled, sine } from '../recorder/sound.ts';

const cases = fc.record({
  rateHz: fc.constantFrom(8000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000),
  ms: fc.constantFrom(10, 20, 50, 100, 250),
  position: fc.double({ min: 0, max: 1, noNaN: true }),
  level: fc.double({ min: 0.01, max: 1, noNaN: true }),
  phase: fc.double({ min: 0, max: 6.28, noNaN: true }),
});

describe('The dominant frequency', () => {
  it.each([
    ['alone', 0],
    ['in noise 15 dB below it', 0.126],
  ])('of a sine %s is within half of 1 / window length', (_how, share) => {
    fc.assert(
      fc.property(cases, ({ rateHz, ms, position, level, phase }) => {
        const hz = 100 + position * (Math.min(8000, 0.49 * rateHz) - 100);
        const [tone, hiss] = [sine(hz, level, phase), noise((share * level) / Math.SQRT2)];
        const window = sampled((t) => tone(t) + hiss(t), rateHz, Math.round((rateHz * ms) / 1000));
        const found = createFrequencyMeter(rateHz)(window) ?? Number.NaN;
        expect(Math.abs(found - hz)).toBeLessThanOrEqual(500 / ms);
        if (share === 0 && ms >= 20) expect(Math.abs(found - hz)).toBeLessThan(1.5);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    [100, 48_000],
    [440, 44_100],
    [3951, 8000],
    [7990, 16_000],
    [8000, 48_000],
    [8000, 192_000],
  ])('of %i Hz at %i samples a second is found to the hertz', (hz, rateHz) => {
    expect(createFrequencyMeter(rateHz)(sampled(sine(hz, 0.5, 1), rateHz, rateHz / 10))).toBe(hz);
  });

  it('is the frequency of the stronger of two tones', () => {
    const window = sampled((t) => sine(700, 0.3)(t) + sine(2500, 0.31)(t), 48_000, 4800);
    expect(createFrequencyMeter(48_000)(window)).toBe(2500);
  });

  it('lies between 100 and 8000 Hz', () => {
    const hum = sampled((t) => sine(50, 0.9)(t) + sine(440, 0.01)(t), 48_000, 4800);
    expect(createFrequencyMeter(48_000)(hum)).toBe(440);
    const whistle = sampled((t) => sine(12_000, 0.9)(t) + sine(440, 0.01)(t), 48_000, 4800);
    expect(createFrequencyMeter(48_000)(whistle)).toBe(440);
  });

  it('is null without sound between 100 and 8000 Hz', () => {
    expect(createFrequencyMeter(48_000)(sampled(sine(50), 48_000, 4800))).toBeNull();
    expect(createFrequencyMeter(48_000)(sampled(sine(12_345), 48_000, 4800))).toBeNull();
    expect(createFrequencyMeter(48_000)(new Float32Array(4800).fill(0.7))).toBeNull();
    expect(createFrequencyMeter(150)(sampled(sine(60), 150, 150))).toBeNull();
    expect(createFrequencyMeter(48_000)(Float32Array.of(0, 1, 0, -1))).toBeNull();
  });

  it('ignores a constant offset', () => {
    const window = sampled((t) => 0.9 + sine(120, 0.01)(t), 16_000, 1600);
    expect(createFrequencyMeter(16_000)(window)).toBe(120);
  });

  it('is found in windows longer than one transform', () => {
    const rateHz = 48_000;
    const [tone, hiss] = [sine(1234.4, 0.05), noise(0.05)];
    const window = sampled((t) => tone(t) + hiss(t), rateHz, 10 * rateHz);
    expect(createFrequencyMeter(rateHz)(window)).toBe(1234);
  });
});
