import { describe, expect, it } from 'vitest';
import { createFrequencyWeighting, type Weighting } from '../../src/sound/frequency-weighting.ts';
import { createTimeWeighting, type TimeWeighting } from '../../src/sound/window-power.ts';
import { sampled, sine } from '../recorder/sound.ts';

/** IEC 61672-1:2013, table 4: the maximum of a 4 kHz burst relative to the steady tone, in dB, by length. */
const TABLE_4: Record<TimeWeighting, [milliseconds: number, db: number][]> = {
  fast: [
    [1000, 0],
    [500, -0.1],
    [200, -1.0],
    [100, -2.6],
    [50, -4.8],
    [20, -8.3],
    [10, -11.1],
    [5, -14.1],
    [2, -18.0],
    [1, -21.0],
    [0.5, -24.0],
    [0.25, -27.0],
  ],
  slow: [
    [1000, -2.0],
    [500, -4.1],
    [200, -7.4],
    [100, -10.2],
    [50, -13.1],
    [20, -17.0],
    [10, -20.0],
    [5, -23.0],
    [2, -27.0],
  ],
};
const STEADY_POWER = 0.5;
const decibels = (power: number) => 10 * Math.log10(power / STEADY_POWER);
const burstOf = (milliseconds: number, rateHz: number) =>
  sampled(sine(4000), rateHz, Math.round((rateHz * milliseconds) / 1000));

/** The maximum of a burst out of silence, in dB relative to the steady tone, which A and C attenuate. */
function highestOf(burst: Float32Array, { name, weighting, rateHz }: Detector): number {
  const steady = createFrequencyWeighting(weighting, rateHz);
  const tone = burstOf(100, rateHz).map((sample) => steady(sample) ** 2);
  const power = tone.slice(-rateHz / 20).reduce((sum, each) => sum + each, 0) / (rateHz / 20);
  const filter = createFrequencyWeighting(weighting, rateHz);
  const detect = createTimeWeighting(name, rateHz, 0);
  let highest = 0;
  for (const sample of burst) highest = Math.max(highest, detect(filter(sample)));
  for (let i = 0; i < rateHz / 100; i++) highest = Math.max(highest, detect(filter(0))); // the filter rings on
  return 10 * Math.log10(highest / power);
}

interface Detector {
  readonly name: TimeWeighting;
  readonly weighting: Weighting;
  readonly rateHz: number;
}

describe.each([16_000, 44_100, 48_000, 96_000])('At %i samples a second', (rateHz) => {
  it.each([
    ['fast', 'Z', 0.05],
    ['slow', 'Z', 0.05],
    ['fast', 'C', 0.15],
    ['slow', 'C', 0.15],
    ['fast', 'A', rateHz === 16_000 ? 0.29 : 0.15],
    ['slow', 'A', 0.15],
  ] as const)('%s with %s-weighting matches table 4 within %d dB', (name, weighting, within) => {
    for (const [milliseconds, db] of TABLE_4[name]) {
      const off = highestOf(burstOf(milliseconds, rateHz), { name, weighting, rateHz }) - db;
      expect(Math.abs(off), `${milliseconds} ms`).toBeLessThan(within + 0.005);
    }
  });

  it.each([
    ['fast', 34.7],
    ['slow', 4.34],
  ] as const)('%s falls by %d dB a second', (name, slope) => {
    const detect = createTimeWeighting(name, rateHz, STEADY_POWER);
    for (let i = 1; i < rateHz; i++) detect(0);
    expect(-decibels(detect(0))).toBeCloseTo(slope, 1);
  });
});

describe('The energy of maxima', () => {
  const [RATE_HZ, TAU_MS] = [8000, 125];

  /** The energy mean of the fast maxima of windows, above the Leq of clicks at any position in them, in dB. */
  function excessOf(windowMs: number): number {
    const length = (RATE_HZ * windowMs) / 1000;
    const [clicks, apart] = [200, Math.round(RATE_HZ * 2.0137)];
    const detect = createTimeWeighting('fast', RATE_HZ, 0);
    let [sum, highest] = [0, 0];
    for (let i = 0; i < clicks * apart; i++) {
      highest = Math.max(highest, detect(i % apart === 0 ? 1 : 0));
      if ((i + 1) % length !== 0) continue;
      sum += highest * length;
      highest = 0;
    }
    return 10 * Math.log10(sum / clicks);
  }

  it.each([
    [100, 2.55],
    [TAU_MS, 3.01],
    [TAU_MS / 20, 0.21],
  ])('of clicks is 10·lg(1 + w/τ) above the Leq with windows of %d ms: %d dB', (windowMs, db) => {
    expect(10 * Math.log10(1 + windowMs / TAU_MS)).toBeCloseTo(db, 2);
    expect(excessOf(windowMs)).toBeCloseTo(db, 1);
  });
});

it('A steady tone keeps its power', () => {
  const detect = createTimeWeighting('fast', 48_000, STEADY_POWER);
  const levels = Array.from(burstOf(1000, 48_000), (sample) => decibels(detect(sample)));
  expect(Math.max(...levels.map(Math.abs))).toBeLessThan(0.01);
});

it('Digital silence reaches exactly zero', () => {
  const detect = createTimeWeighting('fast', 1000, STEADY_POWER);
  for (let i = 0; i < 20_000; i++) detect(0);
  expect(detect(0)).toBe(0);
});
