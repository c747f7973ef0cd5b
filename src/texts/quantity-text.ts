// Formats durations and third-octave bands for people, on the page and in messages.

const UNITS = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
] as const;

/** @returns a function that formats seconds as their two largest units, such as `3 min 20 s` */
export function createLengthText(locales: string | string[]): (seconds: number) => string {
  const tenths = new Intl.NumberFormat(locales, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const whole = new Intl.NumberFormat(locales, { maximumFractionDigits: 0 });
  return (seconds) => {
    if (seconds < 10) return `${tenths.format(seconds)} s`;
    let rest = Math.round(seconds);
    const parts: string[] = [];
    for (const [length, unit] of UNITS) {
      const count = Math.floor(rest / length);
      rest -= count * length;
      if (count > 0) parts.push(`${whole.format(count)} ${unit}`);
    }
    if (rest > 0) parts.push(`${rest} s`);
    return parts.slice(0, 2).join(' ');
  };
}

/** @returns a function that names a band by its nominal frequency in Hz, such as `315 Hz` or `3.15 kHz` */
export function createBandText(locales: string | string[]): (nominalHz: number) => string {
  const format = new Intl.NumberFormat(locales, { maximumFractionDigits: 2 });
  return (hz) => (hz < 1000 ? `${format.format(hz)} Hz` : `${format.format(hz / 1000)} kHz`);
}
