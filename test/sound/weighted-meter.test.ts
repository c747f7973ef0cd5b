import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Weighting } from '../../src/sound/frequency-weighting.ts';
import { createLiveMeter } from '../../src/sound/live-meter.ts';
import { createMeter, type MeterOptions } from '../../src/sound/meter.ts';
import type { TimeWeighting } from '../../src/sound/window-power.ts';
import { noise, sampled, sine } from '../recorder/sound.ts';

const RATE_HZ = 48_000;
const START = '2026-01-01T00:00:00.000000Z';
const DEFAULTS = { rateHz: RATE_HZ, intervalMs: 100, silenceDb: -45 };

function measure(samples: Float32Array, options: Partial<MeterOptions>) {
  const meter = createMeter({ ...DEFAULTS, ...options, start: START });
  return [...meter.push([samples]), ...meter.finish()];
}

function levels(samples: Float32Array, options: Partial<MeterOptions>): number[] {
  return measure(samples, options).map(({ rms_db }) => rms_db ?? Number.NaN);
}

describe('The weighted level', () => {
  it.each<[Weighting, number, number]>([
    ['A', 100, -19.1],
    ['A', 1000, 0],
    ['A', 4000, 1],
    ['A', 8000, -1.1],
    ['C', 63, -0.8],
    ['C', 8000, -3],
    ['Z', 100, 0],
  ])('%s of a tone of %i Hz is %d dB more, from the first window on', (weighting, hz, db) => {
    for (const level of levels(sampled(sine(hz), RATE_HZ, RATE_HZ), { weighting }))
      expect(Math.abs(level + 3.01 - db)).toBeLessThan(0.35);
  });

  it.each<[Weighting, TimeWeighting | undefined]>([
    ['A', undefined],
    ['C', undefined],
    ['A', 'fast'],
    ['A', 'slow'],
  ])('%s, %s, of a DC offset of -20 dB is the floor from the first 10 ms on', (weighting, timeWeighting) => {
    const offset = new Float32Array(RATE_HZ).fill(0.1);
    for (const intervalMs of [10, 100, 1000]) {
      const all = levels(offset, { weighting, timeWeighting, intervalMs });
      expect(all).toEqual(new Array(1000 / intervalMs).fill(-50));
    }
  });

  it.each(['fast', 'slow'] as const)(
    'of steady noise, %s, is steady from the first window on',
    (timeWeighting) => {
      const all = levels(sampled(noise(0.1), RATE_HZ, 5 * RATE_HZ), { timeWeighting, weighting: 'C' });
      expect(Math.max(...all) - Math.min(...all)).toBeLessThan(0.5);
    },
  );

  it('does not affect silence and frequency, which follow the unweighted sound', () => {
    const hum = sampled(sine(110, 0.03), RATE_HZ, RATE_HZ);
    const plain = measure(hum, {});
    const weighted = measure(hum, { weighting: 'A', timeWeighting: 'slow' });
    expect(plain[3]).toMatchObject({ rms_db: -33.47, frequency_hz: 110, is_silence: false });
    expect(weighted.map(({ rms_db: _, ...rest }) => rest)).toEqual(
      plain.map(({ rms_db: _, ...rest }) => rest),
    );
    for (const { rms_db } of weighted) expect(rms_db).toBe(-50);
  });

  it('is 0 if the weighting lifts it above full scale', () => {
    const square = sampled((t) => Math.sign(sine(2500)(t)), RATE_HZ, RATE_HZ);
    expect(levels(square, { weighting: 'A' })).toEqual(new Array(10).fill(0));
    expect(levels(square, { timeWeighting: 'fast', weighting: 'A' })).toEqual(new Array(10).fill(0));
  });

  it('of a burst of 0.2 s is as much lower with slow as table 4 says', () => {
    const burst = sampled((t) => (t < 0.2 ? sine(4000)(t) : 0), RATE_HZ, RATE_HZ);
    const silence = new Float32Array(RATE_HZ / 2);
    const sound = Float32Array.from([...silence, ...burst]);
    const [fast, slow] = (['fast', 'slow'] as const).map((timeWeighting) =>
      Math.max(...levels(sound, { timeWeighting })),
    );
    expect((slow ?? 0) - (fast ?? 0)).toBeCloseTo(-7.4 + 1, 0);
  });

  it('is the same however the samples are split, and whatever the clock', () => {
    const samples = sampled(noise(0.2), 44_100, 20_000);
    fc.assert(
      fc.property(
        fc.constantFrom<Partial<MeterOptions>>(
          {},
          { weighting: 'A' },
          { weighting: 'C', timeWeighting: 'fast' },
          { timeWeighting: 'slow' },
        ),
        fc.constantFrom(10, 70, 100, 250),
        fc.array(fc.integer({ min: 0, max: 9000 }), { maxLength: 8 }),
        (weighting, intervalMs, sizes) => {
          const options = { ...DEFAULTS, format: 's16le', rateHz: 44_100, intervalMs, ...weighting } as const;
          const meter = createLiveMeter(options, () => 0);
          const points = [];
          let from = 0;
          for (const size of sizes) {
            points.push(...meter.push([samples.subarray(from, from + size)]));
            from += size;
          }
          points.push(...meter.push([samples.subarray(from)]), ...meter.finish());
          expect(points.map(({ rms_db }) => rms_db)).toEqual(levels(samples, options));
        },
      ),
      { numRuns: 30 },
    );
  });

  it('of windows equals that of the whole: the energy mean, or the maximum', () => {
    const samples = sampled(noise(0.2), RATE_HZ, RATE_HZ);
    const mean = (dbs: number[]) =>
      10 * Math.log10(dbs.reduce((sum, db) => sum + 10 ** (db / 10), 0) / dbs.length);
    const [whole = 0] = levels(samples, { weighting: 'A', intervalMs: 1000 });
    expect(mean(levels(samples, { weighting: 'A', intervalMs: 10 }))).toBeCloseTo(whole, 1);
    const fast = { weighting: 'A', timeWeighting: 'fast' } as const;
    expect(levels(samples, { ...fast, intervalMs: 1000 })).toEqual([
      Math.max(...levels(samples, { ...fast, intervalMs: 10 })),
    ]);
  });

  it("of sound shorter than the filter's priming is measured too", () => {
    const tone = sampled(sine(1000, 0.5), RATE_HZ, 0.05 * RATE_HZ);
    expect(levels(tone, { weighting: 'A', intervalMs: 10 })).toHaveLength(5);
    expect(levels(tone, { weighting: 'A' })[0]).toBeCloseTo(-9.03, 1);
    expect(levels(new Float32Array(0), { weighting: 'A', timeWeighting: 'fast' })).toEqual([]);
  });

  it('of digital silence is the floor', () => {
    for (const timeWeighting of ['fast', undefined] as const)
      expect(levels(new Float32Array(RATE_HZ), { weighting: 'A', timeWeighting })).toEqual(
        new Array(10).fill(-50),
      );
  });
});
