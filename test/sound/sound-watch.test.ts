// Faults that spoil levels: clipped windows, as opposed to loud ones, and DC offsets that count as sound.
import { describe, expect, it } from 'vitest';
import { createMeter } from '../../src/sound/meter.ts';
import type { SampleFormat } from '../../src/sound/sample-format.ts';
import { createDecoder } from '../../src/sound/sample-format.ts';
import { createSoundWatch } from '../../src/sound/sound-watch.ts';
import { type Encoding, encode, noise, sine, type Wave } from '../recorder/sound.ts';

interface Watched {
  rateHz?: number;
  seconds?: number;
  encoding?: Encoding;
  weighting?: 'A' | 'Z';
  intervalMs?: number;
  /** How many milliseconds a second of sound takes to arrive. */
  pace?: number;
}

function watched(waves: Wave | readonly Wave[], given: Watched = {}) {
  const { rateHz = 8000, seconds = 1, encoding = 's16', weighting = 'Z', intervalMs = 100, pace = 0 } = given;
  const channels = [waves].flat();
  const format: SampleFormat = encoding === 'u8' ? 'u8' : `${encoding}le`;
  const lines: string[] = [];
  let now = 0;
  const common = { rateHz, silenceDb: -45, weighting };
  const watch = createSoundWatch({ ...common, format, warn: (line) => lines.push(line), now: () => now });
  const start = '2026-01-01T00:00:00.000000Z';
  const meter = createMeter({ ...common, intervalMs, start, channels: channels.length, watch });
  const sound = createDecoder(format, channels.length)(encode(encoding, channels, rateHz, rateHz * seconds));
  const piece = rateHz / 10;
  for (let at = 0; at < rateHz * seconds; at += piece) {
    meter.push(sound.map((samples) => samples.subarray(at, at + piece)));
    now += pace / 10;
  }
  meter.finish();
  watch.end();
  return { lines, clipped: watch.clipped() };
}

const CLIPPED =
  'Warning: the sound is clipped: samples stay at full scale, and the true level is higher. Record with less gain.';

describe('A window', () => {
  const limited =
    (wave: Wave, most = 1) =>
    (t: number) =>
      Math.max(-most, Math.min(most, wave(t)));
  it.each<[string, Wave]>([
    ['a sine that is 0.2 dB too loud', limited(sine(997, 1.024))],
    ['a square wave', (t) => Math.sign(sine(441)(t))],
    ['a constant', () => 1],
    ['a sine that clips only at its lower end', (t) => Math.max(-1, sine(997, 2)(t) - 1)],
    ['a hum that is 1 dB too loud, from 16 bits on', limited(sine(50, 1.122))],
  ])('is clipped in %s', (what, wave) => {
    const from = what.includes('16 bits') ? 1 : 0;
    for (const encoding of (['u8', 's16', 's24', 's32', 'f32'] as const).slice(from))
      expect(watched(wave, { rateHz: 48_000, encoding }).clipped, encoding).toBe('10 of 10 windows');
  });

  it.each([20, 50, 63, 100, 997, 1000, 4000, 8000, 11_999, 24_000])(
    'is not clipped in a full-scale sine of %i Hz',
    (hz) => {
      for (const encoding of ['u8', 's16', 's24', 's32', 'f32'] as const)
        for (const phase of [0, 0.3, Math.PI / 2])
          expect(watched(sine(hz, 1, phase), { rateHz: 48_000, encoding }).clipped, encoding).toBeUndefined();
    },
  );

  it('is clipped if any channel is', () => {
    const waves = [sine(500, 0.1), (t: number) => (t < 0.3 ? limited(sine(500, 2))(t) : 0)];
    expect(watched(waves).clipped).toBe('3 of 10 windows');
  });

  it('that is clipped gives a warning at once, and a count once a minute', () => {
    const burst = (t: number) => (t % 10 < 0.2 ? limited(sine(500, 2))(t) : 0);
    expect(watched(burst, { seconds: 200, pace: 1000 })).toEqual({
      lines: [
        CLIPPED,
        'Warning: clipped in 12 more windows: 13 of 601 so far.',
        'Warning: clipped in 12 more windows: 25 of 1,201 so far.',
        'Warning: clipped in 12 more windows: 37 of 1,801 so far.',
      ],
      clipped: '40 of 2,000 windows',
    });
  });
});

describe('A DC offset', () => {
  const offsetBy =
    (offset: number, wave: Wave): Wave =>
    (t) =>
      offset + wave(t);
  const REMOVES =
    '--weighting A or C removes it from the level, but not from the check for silence: remove it at the source.';

  it('above the silence limit gives one warning, in percent and dB', () => {
    for (const seconds of [2, 200])
      expect(watched(offsetBy(0.01, noise(0.1)), { seconds, rateHz: 8000 }).lines).toEqual([
        expect.stringMatching(
          /^Warning: the sound has a DC offset of (1\.0\d|0\.9\d) % of full scale \(-[34]\d\.\d\d dB\), which counts as sound\. /,
        ),
      ]);
    expect(watched(() => -0.1, { seconds: 6 }).lines).toEqual([
      `Warning: the sound has a DC offset of -10.00 % of full scale (-20.00 dB), which counts as sound. ${REMOVES}`,
    ]);
  });

  it('that raises a quiet background by more than 1 dB gives a warning, and a smaller one does not', () => {
    const quiet = (offset: number) =>
      watched(offsetBy(offset, noise(0.004)), { seconds: 6, encoding: 'f32' });
    expect(quiet(0.0024).lines).toEqual([expect.stringContaining('DC offset of 0.24 % of full scale')]);
    expect(quiet(0.0018).lines).toEqual([]);
    expect(watched(() => 0.002, { seconds: 6 }).lines).toEqual([]); // below the floor of points
  });

  it('of one channel is reported with its number', () => {
    expect(watched([sine(500, 0.1), () => 0.1], { seconds: 6 }).lines).toEqual([
      expect.stringContaining('Warning: channel 2 has a DC offset of 10.00 %'),
    ]);
  });

  it('that comes later gives a warning too', () => {
    const late = (t: number) => (t < 70 ? 0 : 0.1) + sine(500, 0.1)(t);
    expect(watched(late, { seconds: 140 }).lines).toHaveLength(1);
  });

  it('with weighting matters only to silence', () => {
    expect(watched(() => 0.1, { seconds: 6, weighting: 'A' }).lines).toEqual([
      expect.stringMatching(
        /--weighting A removes it from the level, but not from the check for silence: remove it at the source\.$/,
      ),
    ]);
    expect(
      watched(offsetBy(0.0024, noise(0.004)), { seconds: 6, encoding: 'f32', weighting: 'A' }).lines,
    ).toEqual([]);
  });

  it.each<[string, Wave]>([
    ['loud noise', noise(0.5)],
    ['a hum of 16 Hz', sine(16.7, 0.5)],
    ['a thump', (t) => (t > 1 && t < 1.15 ? sine(3.3, 0.9)(t - 1) : sine(500, 0.001)(t))],
  ])('is not reported for %s', (_what, wave) => {
    for (const [seconds, intervalMs] of [
      [1, 10],
      [1, 100],
      [5, 10],
      [5, 100],
      [130, 100],
    ] as const)
      expect(watched(wave, { seconds, intervalMs, encoding: 'f32' }).lines).toEqual([]);
  });
});
