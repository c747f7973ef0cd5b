import { expect, it } from 'vitest';
import { BANDS } from '../../src/contract/bands.ts';
import { createBandText } from '../../src/texts/quantity-text.ts';

it('names each band by its nominal frequency', () => {
  const names = BANDS.map(({ nominal_hz }) => nominal_hz).map(createBandText('en'));
  expect(names.join(', ')).toBe(
    '100 Hz, 125 Hz, 160 Hz, 200 Hz, 250 Hz, 315 Hz, 400 Hz, 500 Hz, 630 Hz, 800 Hz, 1 kHz, 1.25 kHz, 1.6 kHz, 2 kHz, 2.5 kHz, 3.15 kHz, 4 kHz, 5 kHz, 6.3 kHz, 8 kHz',
  );
  expect([1250, 315].map(createBandText('de'))).toEqual(['1,25 kHz', '315 Hz']);
});
