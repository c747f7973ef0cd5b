// The meter: turns a stream of samples into points, one for each interval.
import { FLOOR_DB, type Point } from '../contract/point.ts';
import { BadInput } from './bad-input.ts';
import { createFrequencyMeter } from './dominant-frequency.ts';
import { createWindowPower, type WeightingOptions, type WindowPower } from './window-power.ts';
import { createTimeline } from './window-times.ts';

interface WindowMeterOptions {
  rateHz: number;
  /** Windows below this level are silent and have no frequency. */
  silenceDb: number;
}

export interface WindowsOptions extends WindowMeterOptions, WeightingOptions {
  /** Whole milliseconds. */
  intervalMs: number;
}

interface MeterOptions extends WindowsOptions {
  /** The time of the first sample, canonical. */
  start: string;
}

/** A window that was measured: of the samples from `from` up to, but not including, `to`. */
export interface Window extends Omit<Point, 'time'> {
  /** Counted from 0. */
  readonly k: number;
  readonly from: number;
  readonly to: number;
}

export interface Meter {
  /** Takes samples of one channel, -1..1 at full scale. Returns the points of the windows they complete. */
  push(samples: Float32Array): Point[];
  /** Ends the sound. Returns the point of the last, shorter window if at least half of it is there. */
  finish(): Point[];
}

/**
 * @param weighted gives the level in place of the RMS of the samples; silence and frequency are those of the samples
 * @returns a function that measures one window of samples -1..1, of any length but not empty
 */
export function createWindowMeter({ rateHz, silenceDb }: WindowMeterOptions, weighted?: WindowPower) {
  const frequencyOf = createFrequencyMeter(rateHz);
  return (samples: Float32Array): Omit<Point, 'time'> => {
    const exactDb = levelDb(energyOf(samples) / samples.length);
    const is_silence = exactDb < silenceDb;
    const db = weighted ? levelDb(weighted.powerOf(samples)) : exactDb;
    return {
      rms_db: Math.min(0, Math.max(FLOOR_DB, db)),
      frequency_hz: is_silence ? null : frequencyOf(samples),
      is_silence,
    };
  };
}

/**
 * Cuts sound into windows and measures each. Window k holds the samples from round(k * interval * rate) up to, but not
 * including, round((k + 1) * interval * rate), so windows neither drift nor share a sample.
 *
 * @throws BadInput when the rate is too low for the interval to hold a sample
 */
export function createWindows({ rateHz, intervalMs, silenceDb, ...weighting }: WindowsOptions) {
  if (rateHz * intervalMs < 1000)
    throw new BadInput(`an interval of ${intervalMs} ms holds no sample at ${rateHz} samples a second`);
  const weighted = createWindowPower(rateHz, weighting);
  const measureWindow = createWindowMeter({ rateHz, silenceDb }, weighted);
  const firstSample = (k: number) => Math.round((k * intervalMs * rateHz) / 1000);
  const window = new Float32Array(Math.ceil((intervalMs * rateHz) / 1000) + 1);
  let k = 0;
  let length = firstSample(1);
  let filled = 0;
  /** The beginning of the sound, until there is enough of it to prime the weighting. */
  let beginning = weighted && new Float32Array(0);

  function measure(samples: Float32Array): Window {
    const from = firstSample(k);
    return { k, from, to: from + samples.length, ...measureWindow(samples) };
  }

  function cut(samples: Float32Array): Window[] {
    const windows: Window[] = [];
    for (let from = 0; from < samples.length; ) {
      const part = samples.subarray(from, from + length - filled);
      window.set(part, filled);
      filled += part.length;
      from += part.length;
      if (filled < length) break;
      windows.push(measure(window.subarray(0, length)));
      k += 1;
      length = firstSample(k + 1) - firstSample(k);
      filled = 0;
    }
    return windows;
  }

  function begin(samples: Float32Array): Window[] {
    beginning = undefined;
    weighted?.prime(samples.subarray(0, weighted.primingLength));
    return cut(samples);
  }

  return {
    /** Takes samples of one channel, -1..1 at full scale. Returns the windows they complete. */
    push(samples: Float32Array): Window[] {
      if (!beginning || !weighted) return cut(samples);
      const before = beginning;
      beginning = new Float32Array(before.length + samples.length);
      beginning.set(before);
      beginning.set(samples, before.length);
      return beginning.length < weighted.primingLength ? [] : begin(beginning);
    },
    /** Ends the sound. Returns the last, shorter window if at least half of it is there. */
    finish(): Window[] {
      const windows = beginning ? begin(beginning) : [];
      if (filled > 0 && 2 * filled >= length) windows.push(measure(window.subarray(0, filled)));
      return windows;
    },
  };
}

/** Builds a meter of sound whose start is known. The time of a point is the beginning of its window. */
export function createMeter({ start, ...options }: MeterOptions): Meter {
  const windows = createWindows(options);
  const timeOf = createTimeline(start, options.intervalMs);
  const point = ({ k, from: _from, to: _to, ...measured }: Window): Point => ({
    time: timeOf(k),
    ...measured,
  });
  return {
    push: (samples) => windows.push(samples).map(point),
    finish: () => windows.finish().map(point),
  };
}

/**
 * The level of a mean square in dB relative to full scale, to two decimals. A full-scale square wave is 0 dB, a
 * full-scale sine -3.01 dB. Digital silence is -Infinity; float samples beyond full scale can be above 0 dB.
 */
function levelDb(power: number): number {
  const db = Math.round(1000 * Math.log10(power)) / 100;
  return db === 0 ? 0 : db; // not -0
}

/** The sum of the squares. */
export function energyOf(samples: Float32Array): number {
  let energy = 0;
  for (let i = 0; i < samples.length; i++) energy += (samples[i] ?? 0) ** 2;
  return energy;
}
