// Finds the dominant frequency of a window: the strongest peak of its Hann spectrum, 100 to 8000 Hz.
import FFT from 'fft.js';
import { LRUCache } from 'lru-cache';
import { HIGHEST_HZ, LOWEST_HZ } from '../contract/point.ts';
import { fitTone } from './fit-tone.ts';

/** Peaks below this share of full scale, -120 dB, are rounding noise. */
const FAINTEST_AMPLITUDE = 1e-6;
/** Longer windows are averaged over overlapping segments of this length (Welch's method), to save memory. */
const LONGEST_SPECTRUM = 2 ** 18;
const SHORTEST_SPECTRUM = 512;
const SHORTEST_WINDOW = 8;
/** Closer to 0 Hz or half the rate, in 1 / window length, a tone overlaps its mirror image. A sine is fitted then. */
const MIRROR_REACH = 3.5;

/**
 * The meter takes samples -1..1 and returns whole Hz, or null if there is no sound between 100 and 8000 Hz. It places
 * the peak between bins, at the top of a parabola through the logarithms of the three strongest. For a zero-padded Hann
 * window, the error is a few hundredths of 1 / window length.
 */
export function createFrequencyMeter(rateHz: number) {
  // a fractional length alternates between two, and the last window may have a third
  const spectra = new LRUCache({ max: 3, memoMethod: createSpectrum });
  return (window: Float32Array): number | null => {
    const length = Math.min(window.length, LONGEST_SPECTRUM);
    if (length < SHORTEST_WINDOW) return null;
    const { size, add } = spectra.memo(length);
    const power = new Float64Array(size / 2 + 1);
    const stretches = Math.ceil((2 * (window.length - length)) / length) + 1;
    for (let i = 0; i < stretches; i++) {
      const from = stretches === 1 ? 0 : Math.round((i * (window.length - length)) / (stretches - 1));
      add(window.subarray(from, from + length), power);
    }
    const binHz = rateHz / size;
    const peak = strongestPeak(power, binHz, rateHz / length, stretches);
    if (peak === undefined) return null;
    const toMirror = (Math.min(peak, rateHz / 2 - peak) * length) / rateHz;
    const isClear = toMirror > MIRROR_REACH || stretches > 1;
    const hz = isClear ? peak : fitTone(window, peak / rateHz) * rateHz;
    return Math.min(HIGHEST_HZ, Math.max(LOWEST_HZ, Math.round(hz)));
  };
}

/** @returns a function that adds each bin's power, scaled so that a sine peaks at the square of its amplitude */
function createSpectrum(length: number) {
  const size = Math.max(SHORTEST_SPECTRUM, 2 ** Math.ceil(Math.log2(length)));
  const fft = new FFT(size);
  const hann = Float64Array.from(
    { length },
    (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / length),
  );
  const weight = hann.reduce((sum, value) => sum + value, 0);
  const input = new Float64Array(size);
  const output = new Float64Array(2 * size);
  const add = (samples: Float32Array, power: Float64Array) => {
    let mean = 0;
    for (let i = 0; i < length; i++) mean += (samples[i] ?? 0) * (hann[i] ?? 0);
    mean /= weight;
    for (let i = 0; i < length; i++) input[i] = ((samples[i] ?? 0) - mean) * (hann[i] ?? 0);
    fft.realTransform(output, input);
    const scale = 4 / (weight * weight);
    for (let k = 0; k < power.length; k++) {
      const re = output[2 * k] ?? 0;
      const im = output[2 * k + 1] ?? 0;
      power[k] = (power[k] ?? 0) + scale * (re * re + im * im);
    }
  };
  return { size, add };
}

/** @returns the strongest peak in the band, in Hz, if any. Leakage from tones outside the band does not count */
function strongestPeak(power: Float64Array, binHz: number, resolutionHz: number, count: number) {
  const last = power.length - 1;
  // the spectrum of a real signal is mirrored at both ends
  const at = (k: number) => power[k < 0 ? -k : k > last ? 2 * last - k : k] ?? 0;
  const peakHz = (k: number) => (k + parabolaTop(at(k - 1), at(k), at(k + 1))) * binHz;
  const lowest = Math.max(1, Math.floor((LOWEST_HZ - resolutionHz / 2) / binHz));
  const highest = Math.min(last, Math.ceil((HIGHEST_HZ + resolutionHz / 2) / binHz));
  const below = strongestBin(power, 0, lowest - 1);
  const above = strongestBin(power, highest + 1, last);
  const isSkirt = (k: number) =>
    [below, above].some(
      (outside) =>
        outside !== undefined && at(k) < at(outside) * skirt((Math.abs(k - outside) * binHz) / resolutionHz),
    );
  let best: number | undefined;
  let bestPower = count * FAINTEST_AMPLITUDE ** 2;
  for (let k = lowest; k <= highest; k++) {
    if (at(k) <= bestPower || at(k) <= at(k - 1) || at(k) < at(k + 1)) continue;
    const hz = peakHz(k);
    if (hz < LOWEST_HZ - resolutionHz / 2 || hz > HIGHEST_HZ + resolutionHz / 2 || isSkirt(k)) continue;
    [best, bestPower] = [hz, at(k)];
  }
  return best;
}

function strongestBin(power: Float64Array, from: number, to: number): number | undefined {
  let best: number | undefined;
  for (let k = from; k <= to; k++) if (best === undefined || (power[k] ?? 0) > (power[best] ?? 0)) best = k;
  return best;
}

/**
 * The most power that a Hann window leaks to a frequency that is `distance` resolutions from a tone, as a share of the
 * tone's power: the squared envelope of sin(pi d) / (pi d (1 - d^2)), plus 6 dB. 0 in the main lobe, up to a distance
 * of 2.
 */
function skirt(distance: number): number {
  if (distance <= 2) return 0;
  return (2 / (Math.PI * distance * (distance * distance - 1))) ** 2;
}

/** @returns the top of the parabola through three logarithms, -0.5 to 0.5 bins from the middle; 0 if none */
function parabolaTop(left: number, middle: number, right: number): number {
  if (left <= 0 || right <= 0) return 0;
  const [a, b, c] = [Math.log(left), Math.log(middle), Math.log(right)];
  const curve = a - 2 * b + c;
  return curve < 0 ? (0.5 * (a - c)) / curve : 0;
}
