// The meter: turns a stream of samples into points, one for each interval.
import { BadInput } from '../commands/input-files.ts';
import { FLOOR_DB } from '../contract/level-unit.ts';
import { createFrequencyMeter } from './dominant-frequency.ts';
import type { MeasuredPoint } from './measured-point.ts';
import type { Sound } from './sample-format.ts';
import type { SoundWatch } from './sound-watch.ts';
import { createTimeline } from './window-dates.ts';
import {
  createWindowPower,
  lengthOf,
  loudestOf,
  type PowerOptions,
  powerOf,
  sumsOf,
} from './window-power.ts';

export interface MeterOptions extends PowerOptions {
  intervalMs: number;
  /** Windows below this stored level are silent and have no frequency. */
  silenceDb: number;
  /** Added to levels relative to full scale; by default 0. */
  shiftDb?: number;
  watch?: SoundWatch | undefined;
}

/** A measured window: the samples from `from` up to, but not including, `to`. */
export interface Window {
  /** The window's number, from 0. */
  readonly k: number;
  readonly from: number;
  readonly to: number;
  readonly measured: Omit<MeasuredPoint, 'time'>;
}

export interface Meter {
  /** Returns the points of the windows that these samples complete. */
  push(sound: Sound): MeasuredPoint[];
  /** Ends the input. Returns the point of the last, shorter window if it is at least half full. */
  finish(): MeasuredPoint[];
}

/**
 * Cuts sound into windows and measures each. Window k holds the samples from round(k * interval * rate) up to, but not
 * including, round((k + 1) * interval * rate), so windows neither drift nor share a sample.
 *
 * The level of several channels comes from their mean energy, or from the loudest. So does silence. The frequency
 * always comes from the loudest. Weightings change only the level.
 *
 * @throws BadInput if the rate is too low for the interval to hold a sample
 */
export function createWindows(options: MeterOptions) {
  const { rateHz, intervalMs, silenceDb, shiftDb = 0, channels = 1, channel = 'mean', watch } = options;
  if (rateHz * intervalMs < 1000)
    throw new BadInput(`an interval of ${intervalMs} ms holds no sample at ${rateHz} samples per second`);
  const weighted = createWindowPower(options);
  const frequencyOf = createFrequencyMeter(rateHz);
  const firstSample = (k: number) => Math.round((k * intervalMs * rateHz) / 1000);
  const longest = Math.ceil((intervalMs * rateHz) / 1000) + 1;
  const window = Array.from({ length: channels }, () => new Float32Array(longest));
  let k = 0;
  let length = firstSample(1);
  let filled = 0;
  /** The beginning of the sound, until it is long enough to prime the weighting. */
  let beginning: Sound | undefined = weighted && window.map(() => new Float32Array(0));

  function measure(): Window {
    const from = firstSample(k);
    const sound = firstOf(window, filled);
    const sums = sound.map(sumsOf);
    const isOverloaded = watch?.add(sound, sums) === true;
    const exactDb = levelDb(powerOf(channel, sound, sums), shiftDb);
    const is_silence = exactDb < silenceDb;
    const db = weighted ? levelDb(weighted.powerOf(sound), shiftDb) : exactDb;
    watch?.addLevel(db);
    const measured = {
      rms_db: Math.min(0, Math.max(FLOOR_DB, db)),
      frequency_hz: is_silence ? null : frequencyOf(loudestOf(sound, sums)),
      is_silence,
      ...(isOverloaded && { isOverloaded }),
    };
    return { k, from, to: from + filled, measured };
  }

  function cut(sound: Sound): Window[] {
    const windows: Window[] = [];
    const count = lengthOf(sound);
    for (let from = 0; from < count; ) {
      const to = Math.min(count, from + length - filled);
      for (const [c, samples] of sound.entries()) window[c]?.set(samples.subarray(from, to), filled);
      filled += to - from;
      from = to;
      if (filled < length) break;
      windows.push(measure());
      k += 1;
      length = firstSample(k + 1) - firstSample(k);
      filled = 0;
    }
    return windows;
  }

  function begin(sound: Sound): Window[] {
    beginning = undefined;
    weighted?.prime(firstOf(sound, weighted.primingLength));
    return cut(sound);
  }

  return {
    push(sound: Sound): Window[] {
      if (!beginning || !weighted) return cut(sound);
      beginning = beginning.map((before, c) => Float32Array.from([...before, ...(sound[c] ?? [])]));
      return lengthOf(beginning) < weighted.primingLength ? [] : begin(beginning);
    },
    finish(): Window[] {
      const windows = beginning ? begin(beginning) : [];
      if (filled > 0 && 2 * filled >= length) windows.push(measure());
      return windows;
    },
  };
}

const firstOf = (sound: Sound, count: number): Sound => sound.map((samples) => samples.subarray(0, count));

/** A meter for sound that began at `start`, a canonical time. The time of a point is the start of its window. */
export function createMeter(options: MeterOptions & { start: string }): Meter {
  const windows = createWindows(options);
  const timeOf = createTimeline(options.start, options.intervalMs);
  const point = ({ k, measured }: Window): MeasuredPoint => ({ time: timeOf(k), ...measured });
  return { push: (sound) => windows.push(sound).map(point), finish: () => windows.finish().map(point) };
}

/**
 * The level of a mean square in dB, to two decimals. Without a shift a full-scale square wave is 0 dB, a full-scale sine
 * -3.01 dB. Digital silence is -Infinity. Sound above the reference, or floats beyond full scale, give more than 0 dB.
 */
function levelDb(power: number, shiftDb: number): number {
  const db = Math.round(1000 * Math.log10(power) + 100 * shiftDb) / 100;
  return db === 0 ? 0 : db; // not -0
}
