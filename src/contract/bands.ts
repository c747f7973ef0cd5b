// The third-octave bands (IEC 61260-1, base ten) that can contain a dominant frequency.

const NOMINAL_HZ = [
  100, 125, 160, 200, 250, 315, 400, 500, 630, 800, 1000, 1250, 1600, 2000, 2500, 3150, 4000, 5000, 6300,
  8000,
] as const;

/**
 * Lowest first. Midband frequencies are 1000 · 10^(n/10) Hz for whole n. The edges of a band are its midband frequency
 * divided and multiplied by 10^(1/20) (IEC 61260-1:2014, 5.4 and 5.6).
 */
export const BANDS = NOMINAL_HZ.map((nominal_hz, index) => {
  const edge = (tenths: number) => 1000 * 10 ** ((index - 10 + tenths) / 10);
  return { nominal_hz, from_hz: edge(-0.5), to_hz: edge(0.5) };
});

/** The lowest whole frequency of each band except the first. No edge is a whole number. */
export const BAND_STARTS: readonly number[] = BANDS.slice(1).map(({ from_hz }) => Math.ceil(from_hz));

/** @returns the nominal frequency of the band that contains a frequency, Hz; null for null and outside all bands */
export const bandOf = (frequency_hz: number | null): number | null =>
  BANDS.find(({ from_hz, to_hz }) => frequency_hz !== null && from_hz <= frequency_hz && frequency_hz < to_hz)
    ?.nominal_hz ?? null;
