// Warns once of a DC offset that counts as sound, and once if some channels hold only digital silence.
import { FLOOR_DB } from '../contract/level-unit.ts';
import type { Weighting } from './frequency-weighting.ts';
import type { ChannelChoice } from './sample-format.ts';
import { dbOf, type SampleSums } from './window-power.ts';

/** The seconds of sound in the first check, and in each later one. */
const FIRST_SECONDS = 5;
const STRETCH_SECONDS = 60;
const LEAST_SECONDS = 1;
/** The background level is L90: this share of the sound is quieter. */
const BACKGROUND = 0.1;
const MOST_RAISE_DB = 1;
/** A mean is an offset only above this many standard errors. Thumps, wind and noise stay below. */
const LEAST_ERRORS = 4;

export interface OffsetOptions {
  readonly rateHz: number;
  readonly silenceDb: number;
  readonly channel?: ChannelChoice;
  /** Added to levels relative to full scale; by default 0. */
  readonly shiftDb?: number;
  readonly weighting?: Weighting;
  warn(line: string): void;
}

/** The mean of a window's samples, and of their squares. */
interface Measured {
  readonly mean: number;
  readonly power: number;
}

export function createOffsetWatch(options: OffsetOptions) {
  const { rateHz, silenceDb, shiftDb = 0, weighting = 'Z', channel: choice = 'mean', warn } = options;
  let isSaid = false;
  let isSilenceSaid = choice !== 'mean';
  let seconds = FIRST_SECONDS;
  let count = 0;
  /** The windows since the last check, by channel. */
  let channels: Measured[][] = [];
  const isWeighted = weighting !== 'Z';

  /** @returns the mean of the samples if it counts as sound */
  function offsetOf(windows: readonly Measured[]): number | undefined {
    const mean = meanOf(windows.map((window) => window.mean));
    const variance = meanOf(windows.map((window) => (window.mean - mean) ** 2));
    if (mean ** 2 <= (LEAST_ERRORS ** 2 * variance) / windows.length) return undefined;
    if (dbOf(mean ** 2) + shiftDb > silenceDb) return mean;
    const powers = windows.map(({ power }) => power).sort((a, b) => a - b);
    const background = powers[Math.floor(BACKGROUND * powers.length)] ?? 0;
    const raise = levelOf(background, shiftDb) - levelOf(Math.max(0, background - mean ** 2), shiftDb);
    return !isWeighted && raise > MOST_RAISE_DB ? mean : undefined;
  }

  function say(mean: number, channel: number): void {
    isSaid = true;
    const source = channels.length > 1 ? `channel ${channel}` : 'the sound';
    const offset = `${(100 * mean).toFixed(2)} % of full scale (${dbOf(mean ** 2).toFixed(2)} dB)`;
    warn(
      `Warning: ${source} has a DC offset of ${offset}, which counts as sound. --weighting ${isWeighted ? weighting : 'A or C'} removes it from the level, but not from the check for silence: remove it at the source.`,
    );
  }

  function saySilence(): void {
    const isSilent = channels.map((windows) => windows.every(({ power }) => power === 0));
    const heard = isSilent.filter((silent) => !silent).length;
    if (isSilenceSaid || heard === 0 || heard === channels.length) return;
    isSilenceSaid = true;
    const silent = isSilent.flatMap((is, c) => (is ? [c + 1] : [])).join(' and ');
    const lower = (10 * Math.log10(channels.length / heard)).toFixed(2);
    warn(
      `Warning: digital silence in channel ${silent} lowers the level by ${lower} dB. Measure another channel with --channel ${isSilent.indexOf(false) + 1}.`,
    );
  }

  function look(): void {
    saySilence();
    for (const [c, windows] of channels.entries()) {
      const mean = offsetOf(windows);
      if (mean !== undefined && !isSaid) say(mean, c + 1);
    }
    seconds = STRETCH_SECONDS;
    count = 0;
    channels = [];
  }

  return {
    /** @param length the number of samples per channel */
    add(sums: readonly SampleSums[], length: number): void {
      if (isSaid) return;
      count += length;
      for (const [c, { sum, energy }] of sums.entries()) {
        const windows = channels[c] ?? [];
        windows.push({ mean: sum / length, power: energy / length });
        channels[c] = windows;
      }
      if (count >= seconds * rateHz) look();
    },
    /** Checks the sound since the last check, if it is at least a second long. */
    end(): void {
      if (!isSaid && count >= LEAST_SECONDS * rateHz) look();
    },
  };
}

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

const levelOf = (power: number, shiftDb: number): number => Math.max(FLOOR_DB, dbOf(power) + shiftDb);
