// The frequency weightings A, C and Z of IEC 61672-1:2013 as digital filters.

export const WEIGHTINGS = ['A', 'C', 'Z'] as const;
export type Weighting = (typeof WEIGHTINGS)[number];

/** The poles of annex E in Hz. The first and last are double. Only A has the middle two. */
const [LOWEST, LOW, MIDDLE, HIGHEST] = [20.598997, 107.65265, 737.86223, 12194.217] as const;
/** The frequency at which gains match the formula; a quarter of the rate at very low rates. */
const REFERENCE_HZ = 1000;
const NOMINAL_HZ = [
  20, 25, 31.5, 40, 50, 63, 80, 100, 125, 160, 200, 250, 315, 400, 500, 630, 800, 1000, 1250, 1600, 2000,
  2500, 3150, 4000, 5000, 6300, 8000, 10_000, 12_500, 16_000, 20_000,
] as const;
/** The narrowest acceptance limit of table 3 except at 1 kHz, where the filter is exact. */
const LIMIT_DB = 1;
/** The low pass matches at this share of Nyquist: the best of 0.5 to 0.75 at rates of 16,000 to 96,000. */
const MATCHED_AT = 0.65;
/** Smaller states (-600 dB) count as zero, because denormal numbers are slow. */
const NOTHING = 1e-30;

/** A second-order filter: (b0 + b1/z + b2/z²) / (1 + a1/z + a2/z²). */
interface Section {
  readonly b0: number;
  readonly b1: number;
  readonly b2: number;
  readonly a1: number;
  readonly a2: number;
}

/**
 * @returns a function that weights one sample after another, with 0 dB at 1 kHz. At 44,100 samples per second or more,
 * it is within 0.3 dB of annex E at third-octave centres up to 16 kHz. At rates of 16,000 to 96,000, it is within
 * 0.6 dB up to 0.4 × rate.
 */
export function createFrequencyWeighting(weighting: Weighting, rateHz: number): (sample: number) => number {
  if (weighting === 'Z') return (sample) => sample;
  const [first, second, third] = sectionsOf(weighting, rateHz).map(createFilter);
  if (!first || !second) throw new TypeError('A weighting has two sections or more');
  return third ? (sample) => third(second(first(sample))) : (sample) => second(first(sample));
}

/** @returns a line with the bands that this rate does not cover; undefined if it covers all */
export function unweighedBands(weighting: Weighting, rateHz: number): string | undefined {
  if (weighting === 'Z') return undefined;
  const sections = sectionsOf(weighting, rateHz);
  const lowest = NOMINAL_HZ.find((nominalHz, index) => {
    const hz = 1000 * 10 ** ((index - 17) / 10); // IEC 61260-1:2014, 5.2
    const off = 20 * Math.log10(gainOf(sections, hz / rateHz) / gainOfFormula(weighting, hz));
    return nominalHz >= rateHz / 2 || Math.abs(off) > LIMIT_DB;
  });
  return (
    lowest &&
    `At ${rateHz} samples per second, ${weighting}-weighting does not cover the third octaves from ${lowest} Hz up. Record at 44100 Hz or up to cover all.`
  );
}

/** Direct form II, transposed. */
function createFilter({ b0, b1, b2, a1, a2 }: Section) {
  let s1 = 0;
  let s2 = 0;
  return (sample: number): number => {
    const exact = b0 * sample + s1;
    const weighed = Math.abs(exact) < NOTHING ? 0 : exact;
    s1 = b1 * sample - a1 * weighed + s2;
    s2 = b2 * sample - a2 * weighed;
    return weighed;
  };
}

function sectionsOf(weighting: 'A' | 'C', rateHz: number): Section[] {
  const high = lowPass(rateHz);
  const sections = [highPass(LOWEST, LOWEST, rateHz), high];
  if (weighting === 'A') sections.unshift(highPass(LOW, MIDDLE, rateHz));
  const referenceHz = Math.min(REFERENCE_HZ, rateHz / 4);
  const gain = gainOfFormula(weighting, referenceHz) / gainOf(sections, referenceHz / rateHz);
  return sections.map((each) =>
    each === high ? { ...high, b0: gain * high.b0, b1: gain * high.b1, b2: gain * high.b2 } : each,
  );
}

/** Two poles by matched z, and two zeros at z = 1. */
function highPass(oneHz: number, otherHz: number, rateHz: number): Section {
  const [one, other] = [poleAt(oneHz, rateHz), poleAt(otherHz, rateHz)];
  return { b0: 1, b1: -2, b2: 1, a1: -one - other, a2: one * other };
}

/**
 * The double pole by matched z. The numerator matches the power of the analog poles at 0, 0.65 and 1 times Nyquist
 * (M. Vicanek, Matched Second Order Digital Filters, 2016). The bilinear transform would be 2.7 dB off at 12.5 kHz and
 * 48,000 samples per second.
 */
function lowPass(rateHz: number): Section {
  const pole = poleAt(HIGHEST, rateHz);
  const powerAt = (share: number) => {
    const hz = (share * rateHz) / 2;
    const denominator = 1 + pole ** 2 - 2 * pole * Math.cos(Math.PI * share);
    return (denominator / (1 + (hz / HIGHEST) ** 2)) ** 2;
  };
  const [sumAt0, sumAt1] = [Math.sqrt(powerAt(0)), Math.sqrt(powerAt(1))];
  const part = Math.sin((MATCHED_AT * Math.PI) / 2) ** 2;
  const mixed =
    (powerAt(MATCHED_AT) - (1 - part) * sumAt0 ** 2 - part * sumAt1 ** 2) / (4 * part * (1 - part)); // -4 b0 b2
  const half = (sumAt0 + sumAt1) / 2; // b0 + b2
  const b0 = (half + Math.sqrt(half ** 2 + mixed)) / 2;
  return { b0, b1: (sumAt0 - sumAt1) / 2, b2: -mixed / (4 * b0), a1: -2 * pole, a2: pole ** 2 };
}

const poleAt = (hz: number, rateHz: number): number => Math.exp((-2 * Math.PI * hz) / rateHz);

/** Relative to 1 kHz (IEC 61672-1:2013, E.1 and E.6). */
function gainOfFormula(weighting: 'A' | 'C', hz: number): number {
  const gain = (f: number) => {
    const c = f ** 2 / ((f ** 2 + LOWEST ** 2) * (f ** 2 + HIGHEST ** 2));
    return weighting === 'C' ? c : (c * f ** 2) / (Math.hypot(f, LOW) * Math.hypot(f, MIDDLE));
  };
  return gain(hz) / gain(1000);
}

function gainOf(sections: readonly Section[], cyclesPerSample: number): number {
  const size = (c0: number, c1: number, c2: number) => {
    const [once, twice] = [2 * Math.PI * cyclesPerSample, 4 * Math.PI * cyclesPerSample];
    return Math.hypot(
      c0 + c1 * Math.cos(once) + c2 * Math.cos(twice),
      c1 * Math.sin(once) + c2 * Math.sin(twice),
    );
  };
  return sections.reduce((gain, { b0, b1, b2, a1, a2 }) => (gain * size(b0, b1, b2)) / size(1, a1, a2), 1);
}
