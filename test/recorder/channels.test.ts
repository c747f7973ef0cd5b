// Several channels: their energies are averaged, whatever their phases, with weightings and without.
import { describe, expect, it } from 'vitest';
import { createMeter, type MeterOptions } from '../../src/sound/meter.ts';
import type { ChannelChoice, Sound } from '../../src/sound/sample-format.ts';
import { noise, sampled, sine } from './sound.ts';

const RATE_HZ = 48_000;
const START = '2026-01-01T00:00:00.000000Z';
const WEIGHTED: Partial<MeterOptions>[] = [
  {},
  { weighting: 'A' },
  { timeWeighting: 'fast' },
  { weighting: 'C', timeWeighting: 'slow' },
];

function measure(sound: Sound, channel: ChannelChoice, options: Partial<MeterOptions> = {}) {
  const channels = sound.length;
  const given = { rateHz: RATE_HZ, intervalMs: 100, silenceDb: -45, start: START };
  const meter = createMeter({ ...given, channels, channel, ...options });
  return [...meter.push(sound), ...meter.finish()];
}

const levels = (...given: Parameters<typeof measure>) => measure(...given).map(({ rms_db }) => rms_db);

describe('Several channels', () => {
  const wave = sampled(sine(1000, 0.5), RATE_HZ, RATE_HZ);
  const inverted = wave.map((sample) => -sample);
  const silence = new Float32Array(RATE_HZ);

  it.each(WEIGHTED)('in antiphase are as loud as one, with %j', (options) => {
    for (const channel of ['mean', 'max'] as const)
      expect(measure([wave, inverted], channel, options)).toEqual(measure([wave], 1, options));
  });

  it.each(WEIGHTED)(
    "of which one is silent have half the other's energy (mean) or all of it (max), with %j",
    (options) => {
      const alone = levels([wave], 1, options);
      expect(levels([silence, wave], 'max', options)).toEqual(alone);
      for (const [k, level] of levels([silence, wave], 'mean', options).entries())
        expect((alone[k] ?? 0) - (level ?? 0)).toBeCloseTo(3.01, 1);
    },
  );

  it.each(WEIGHTED)('each keep their own filter, with %j', (options) => {
    const other = sampled(noise(0.2), RATE_HZ, RATE_HZ);
    const [one, two] = [levels([wave], 1, options), levels([other], 1, options)];
    const highest = one.map((level, k) => Math.max(level ?? 0, two[k] ?? 0));
    expect(levels([wave, other], 'max', options)).toEqual(highest);
  });

  it('with a time weighting have the maximum of their mean, not the mean of their maxima', () => {
    const burst = (from: number) => sampled((t) => (t >= from && t < from + 0.01 ? 1 : 0), RATE_HZ, RATE_HZ);
    const options = { timeWeighting: 'fast', intervalMs: 1000 } as const;
    const [apart = 0] = levels([burst(0.2), burst(0.9)], 'mean', options);
    const [alone = 0] = levels([burst(0.2)], 1, options);
    expect((alone ?? 0) - (apart ?? 0)).toBeCloseTo(3.01, 1);
  });

  it('have the frequency of the loudest in each window, and are silent below the limit together', () => {
    const first = sampled((t) => sine(500, t < 0.5 ? 0.5 : 0.1)(t), RATE_HZ, RATE_HZ);
    const second = sampled(sine(2000, 0.2), RATE_HZ, RATE_HZ);
    const expected = [...new Array(5).fill(500), ...new Array(5).fill(2000)];
    for (const channel of ['mean', 'max'] as const)
      expect(measure([first, second], channel).map((point) => point.frequency_hz)).toEqual(expected);
    const quiet = sampled(sine(500, 0.009), RATE_HZ, RATE_HZ);
    expect(measure([quiet, silence], 'max')[0]).toMatchObject({ rms_db: -43.93, is_silence: false });
    expect(measure([quiet, silence], 'mean')[0]).toMatchObject({ rms_db: -46.94, is_silence: true });
  });
});
