// Finds the steady tone of a calibrator in a recording, or reports why there is none.
import { FLOOR_DB } from '../contract/level-unit.ts';
import { dbOf } from './window-power.ts';

/** The measurements of a tenth of a second. */
export interface ToneWindow {
  /** The mean square of the samples. */
  readonly power: number;
  /** The part of that power that a sine near the dominant frequency explains. */
  readonly tonePower: number;
  /** The largest magnitude of the samples, 1 at full scale. */
  readonly peak: number;
  readonly frequencyHz: number | null;
}

export const WINDOWS_A_SECOND = 10;
/** The frequencies of sound calibrators and of pistonphones (IEC 60942). */
const NOMINAL_HZ = [1000, 250] as const;
const TOLERANCE = 0.02;
const LEAST_SECONDS = 2;
const STEADY_DB = 0.5;
/** Other steady parts shorter than this come from attaching or removing the calibrator. */
const LEAST_OTHER_SECONDS = 1;
/** Samples at or above this, 0.1 dB below full scale, may be clipped. */
const CLIPPED = 0.99;
/** The least share of the energy that the tone must have. The rest is not measured, but too much of it is a problem. */
const LEAST_SHARE = 0.95;

/** @throws the result of `fault`, called with the reason why this is not a recording of a calibrator */
export function findTone(windows: readonly ToneWindow[], fault: (reason: string) => Error) {
  const seconds = windows.length / WINDOWS_A_SECOND;
  if (seconds < LEAST_SECONDS)
    throw fault(`it lasts ${lasting(windows)}, but at least ${LEAST_SECONDS} s are needed`);
  const nominalHz = NOMINAL_HZ.reduce((most, hz) =>
    windows.filter(isTone(hz)).length > windows.filter(isTone(most)).length ? hz : most,
  );
  const tones = windows.filter(isTone(nominalHz));
  if (tones.length < LEAST_SECONDS * WINDOWS_A_SECOND) throw fault(whyNoTone(windows, tones, nominalHz));

  const { from, to } = longestSteady(windows, 0, windows.length, nominalHz);
  const steady = windows.slice(from, to);
  if (steady.length < LEAST_SECONDS * WINDOWS_A_SECOND)
    throw fault(
      `the level of its tone varies: it stays within ${STEADY_DB} dB for at most ${lasting(steady)}, but ${LEAST_SECONDS} s are needed`,
    );
  for (const [start, end] of [
    [0, from],
    [to, windows.length],
  ] as const) {
    const found = longestSteady(windows, start, end, nominalHz);
    const other = windows.slice(found.from, found.to);
    if (other.length >= LEAST_OTHER_SECONDS * WINDOWS_A_SECOND && !isSteady([...steady, ...other]))
      throw fault(
        `the level of its tone varies: ${decibels(levelOf(steady))} for ${lasting(steady)}, and ${decibels(levelOf(other))} for ${lasting(other)}`,
      );
  }

  const middle = steady.slice(1, -1); // the outer windows may include the start or end of the tone
  const levelDb = levelOf(middle);
  if (levelDb <= FLOOR_DB)
    throw fault(
      `its tone has ${decibels(levelDb)}, but points cannot go below ${FLOOR_DB} dB: record it with more gain`,
    );
  if (middle.some(({ peak }) => peak >= CLIPPED))
    throw fault('it is clipped: samples reach full scale. Record it with less gain');
  const share = sumOf(middle, 'tonePower') / sumOf(middle, 'power');
  if (share < LEAST_SHARE)
    throw fault(
      `only ${Math.floor(100 * share)} % of its energy is in the tone, but ${100 * LEAST_SHARE} % are needed: the rest is noise, other tones, distortion or a DC offset`,
    );
  return {
    /** The level of the tone alone, as the meter defines levels, but without rounding or floor. */
    levelDb,
    frequencyHz: medianFrequency(middle) ?? nominalHz,
    /** The measured part of the recording, in seconds. */
    from: (from + 1) / WINDOWS_A_SECOND,
    to: (to - 1) / WINDOWS_A_SECOND,
  };
}

function isTone(nominalHz: number) {
  return ({ frequencyHz }: ToneWindow): boolean =>
    frequencyHz !== null && Math.abs(frequencyHz - nominalHz) <= TOLERANCE * nominalHz;
}

function whyNoTone(windows: readonly ToneWindow[], tones: readonly ToneWindow[], nominalHz: number): string {
  const heard = windows.filter(({ power }) => dbOf(power) > FLOOR_DB);
  if (heard.length === 0 && tones.length === 0) return `it is silent: nothing is above ${FLOOR_DB} dB`;
  const frequency = medianFrequency(heard);
  const allowed = `${NOMINAL_HZ.toReversed().join(' or ')} Hz within ${100 * TOLERANCE} %`;
  if (frequency === undefined) return `it has no dominant frequency; needed: ${allowed}`;
  if (2 * tones.length < heard.length)
    return `its dominant frequency is ${frequency} Hz, but must be ${allowed}`;
  return `its tone of ${nominalHz} Hz lasts ${lasting(tones)}, but at least ${LEAST_SECONDS} s are needed`;
}

/** The longest run of windows with the tone at a steady level; empty if there is none. */
function longestSteady(windows: readonly ToneWindow[], start: number, end: number, nominalHz: number) {
  let longest = { from: start, to: start };
  let from = start;
  for (const [index, window] of windows.slice(start, end).entries()) {
    const to = start + index + 1;
    if (!isTone(nominalHz)(window)) from = to;
    while (!isSteady(windows.slice(from, to))) from += 1;
    if (to - from > longest.to - longest.from) longest = { from, to };
  }
  return longest;
}

function isSteady(windows: readonly ToneWindow[]): boolean {
  const powers = windows.map(({ power }) => power);
  return !(dbOf(Math.max(...powers)) - dbOf(Math.min(...powers)) > STEADY_DB);
}

function medianFrequency(windows: readonly ToneWindow[]): number | undefined {
  const frequencies = windows.flatMap(({ frequencyHz }) => (frequencyHz === null ? [] : [frequencyHz]));
  return frequencies.sort((a, b) => a - b)[Math.floor(frequencies.length / 2)];
}

const sumOf = (windows: readonly ToneWindow[], name: 'power' | 'tonePower'): number =>
  windows.reduce((sum, window) => sum + window[name], 0);

const levelOf = (windows: readonly ToneWindow[]) => dbOf(sumOf(windows, 'tonePower') / windows.length);

const decibels = (db: number): string => `${db.toFixed(2)} dB`;

const lasting = ({ length }: readonly ToneWindow[]): string => `${(length / WINDOWS_A_SECOND).toFixed(1)} s`;
