// Names third-octave bands for people, on the page and in messages.

/** @returns a function that names a band by its nominal frequency in Hz, such as `315 Hz` or `3.15 kHz` */
export function createBandText(locales: string | string[]): (nominalHz: number) => string {
  const format = new Intl.NumberFormat(locales, { maximumFractionDigits: 2 });
  return (hz) => (hz < 1000 ? `${format.format(hz)} Hz` : `${format.format(hz / 1000)} kHz`);
}
