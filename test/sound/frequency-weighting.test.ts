import { describe, expect, it } from 'vitest';
import {
  createFrequencyWeighting,
  unweighedBands,
  type Weighting,
} from '../../src/sound/frequency-weighting.ts';

/** IEC 61672-1:2013, table 3, to 0.1 dB: nominal frequency in Hz, A, C. */
const TABLE_3 = [
  [20, -50.5, -6.2],
  [25, -44.7, -4.4],
  [31.5, -39.4, -3.0],
  [40, -34.6, -2.0],
  [50, -30.2, -1.3],
  [63, -26.2, -0.8],
  [80, -22.5, -0.5],
  [100, -19.1, -0.3],
  [125, -16.1, -0.2],
  [160, -13.4, -0.1],
  [200, -10.9, 0],
  [250, -8.6, 0],
  [315, -6.6, 0],
  [400, -4.8, 0],
  [500, -3.2, 0],
  [630, -1.9, 0],
  [800, -0.8, 0],
  [1000, 0, 0],
  [1250, 0.6, 0],
  [1600, 1.0, -0.1],
  [2000, 1.2, -0.2],
  [2500, 1.3, -0.3],
  [3150, 1.2, -0.5],
  [4000, 1.0, -0.8],
  [5000, 0.5, -1.3],
  [6300, -0.1, -2.0],
  [8000, -1.1, -3.0],
  [10_000, -2.5, -4.4],
  [12_500, -4.3, -6.2],
  [16_000, -6.6, -8.5],
] as const;
const EXACT_HZ = TABLE_3.map((_, index) => 1000 * 10 ** ((index - 17) / 10));

/** The formulas of IEC 61672-1:2013, annex E, from its rounded poles, in dB and 0 at 1 kHz. */
function formula(weighting: Weighting, hz: number): number {
  const gain = (f: number) => {
    const c = (12_194.2 ** 2 * f ** 2) / ((f ** 2 + 20.599 ** 2) * (f ** 2 + 12_194.2 ** 2));
    return weighting === 'C' ? c : (c * f ** 2) / Math.hypot(f, 107.653) / Math.hypot(f, 737.862);
  };
  return 20 * Math.log10(gain(hz) / gain(1000));
}

/** The gains at these frequencies in dB, from the spectrum of a second of the impulse response. */
function gainsDb(weighting: Weighting, rateHz: number, frequencies: readonly number[]): number[] {
  const weigh = createFrequencyWeighting(weighting, rateHz);
  const answer = Array.from({ length: rateHz }, (_, i) => weigh(i === 0 ? 1 : 0));
  return frequencies.map((hz) => {
    const radians = (2 * Math.PI * hz) / rateHz;
    const re = answer.reduce((sum, value, i) => sum + value * Math.cos(radians * i), 0);
    const im = answer.reduce((sum, value, i) => sum + value * Math.sin(radians * i), 0);
    return 20 * Math.log10(Math.hypot(re, im));
  });
}

describe.each(['A', 'C'] as const)('%s-weighting', (weighting) => {
  it.each([
    [16_000, 0.34],
    [22_050, 0.26],
    [44_100, 0.3],
    [48_000, 0.3],
    [96_000, 0.25],
  ])(
    'at %i samples per second is within %d dB of the formula at third octaves, and 0.6 dB elsewhere, up to 0.4 × rate',
    (rateHz, limit) => {
      const octaves = EXACT_HZ.filter((hz) => hz <= 0.4 * rateHz);
      const frequencies = [...octaves, ...Array.from({ length: 20 }, (_, i) => rateHz * (0.02 + 0.02 * i))];
      const off = gainsDb(weighting, rateHz, frequencies).map((gain, i) =>
        Math.abs(gain - formula(weighting, frequencies[i] ?? Number.NaN)),
      );
      expect(Math.max(...off.slice(0, octaves.length))).toBeLessThan(limit);
      expect(Math.max(...off)).toBeLessThan(0.6);
    },
  );

  it('has the values of table 3', () => {
    const column = weighting === 'A' ? 1 : 2;
    for (const [index, gain] of gainsDb(weighting, 192_000, EXACT_HZ).entries())
      expect(Math.abs(gain - (TABLE_3[index]?.[column] ?? Number.NaN))).toBeLessThan(0.15);
  });

  it.each([4000, 8000, 44_100, 1_000_000])('leaves 1 kHz as it is at %i samples per second', (rateHz) => {
    expect(gainsDb(weighting, rateHz, [1000])[0]).toBeCloseTo(0, 6);
  });

  it.each([1, 2, 30, 1000, 2000])('is stable at %i samples per second', (rateHz) => {
    const weigh = createFrequencyWeighting(weighting, rateHz);
    const answer = Array.from({ length: 100_000 }, (_, i) => weigh(i === 0 ? 1 : 0));
    expect(answer.every(Number.isFinite)).toBe(true);
    expect(answer.at(-1)).toBe(0);
  });
});

it('Z-weighting changes nothing', () => {
  expect([0.1, -0.2, 1].map(createFrequencyWeighting('Z', 48_000))).toEqual([0.1, -0.2, 1]);
});

describe('The bands that cannot be weighted', () => {
  it.each([
    [8000, 4000],
    [16_000, 8000],
    [22_050, 12_500],
    [32_000, 16_000],
    [40_000, 20_000],
  ])('at %i samples per second begin at %i Hz', (rateHz, hz) => {
    for (const weighting of ['A', 'C'] as const)
      expect(unweighedBands(weighting, rateHz)).toBe(
        `At ${rateHz} samples per second, ${weighting}-weighting does not cover the third octaves from ${hz} Hz up. Record at 44100 Hz or up to cover all.`,
      );
  });

  it('begin below Nyquist if the deviation is too large', () => {
    expect(unweighedBands('A', 500)).toContain('from 200 Hz up');
  });

  it('are none from 44,100 samples per second on, or without weighting', () => {
    for (const rateHz of [44_100, 48_000, 96_000, 192_000, 1_000_000])
      expect([unweighedBands('A', rateHz), unweighedBands('C', rateHz)]).toEqual([undefined, undefined]);
    expect(unweighedBands('Z', 8000)).toBeUndefined();
  });
});
