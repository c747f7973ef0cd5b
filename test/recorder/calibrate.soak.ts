// The calibration at more rates and frequencies, and with more sounds beside its tone.
import { describe, expect, it } from 'vitest';
import { offsetOf, recording, sum, tone } from './calibrator.ts';
import { noise, sine, type Wave } from './sound.ts';

describe('A recording of a calibrator', () => {
  it.each([8000, 11_025, 22_050, 44_100, 96_000])('is measured at %i samples a second', async (rateHz) => {
    for (const hz of [980, 1000, 1003.7, 1020])
      expect(await offsetOf(recording(sine(hz, 0.1, 1), { rateHz, seconds: 2 })), `${hz} Hz`).toEqual([
        'CALIBRATION_OFFSET_DB=117.01',
      ]);
  });

  it.each([1000, 250])(
    'at %i Hz is measured within 0.01 dB, whatever else sounds 20 dB below its tone',
    async (hz) => {
      const beside: Wave[] = [
        noise(10 ** (-46 / 20), 5),
        tone(-46, 3.1 * hz),
        tone(-46, 50),
        () => 10 ** (-46 / 20),
      ];
      for (const [n, rateHz] of [8000, 44_100, 48_000].entries())
        for (const [k, more] of beside.entries()) {
          const off = [-0.015, 0, 0.0003, 0.0187][(n + k + (hz === 250 ? 1 : 0)) % 4] ?? 0;
          const wave = sum(tone(-26, hz * (1 + off)), more);
          const seconds = rateHz === 8000 ? 10 : 3;
          const [line = ''] = await offsetOf(recording(wave, { rateHz, seconds, encoding: 'f32' }));
          expect(Math.abs(Number(line.split('=')[1]) - 120), `${rateHz} ${off}`).toBeLessThan(0.0101);
        }
    },
  );
});
