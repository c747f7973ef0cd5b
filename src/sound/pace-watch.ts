// Watches how fast live sound arrives: a wrong rate spoils times, frequencies and weightings.
import { BadInput } from '../commands/input-files.ts';
import { bytesPerSample, formatsAtPace, type SampleFormat } from './sample-format.ts';

const STRETCH_MS = 10_000;
const STRETCHES = 6;
/** The least deviation to report: sound cards deviate less. */
const MOST_OFF = 0.02;
/** The most that a steady pace varies: lost or bursty sound varies more. */
const STEADY_WITHIN = 0.02;

type Arrival = { readonly samples: number; readonly at: number };

/** Warns once of another steady rate for a minute. @returns notes an arrival: samples in total, and when, in ms */
export function createPaceWatch(rateHz: number, warn: (line: string) => void) {
  const paces: number[] = [];
  let begun: Arrival | undefined;
  let isSaid = false;

  return function arrived(samples: number, at: number): void {
    begun ??= { samples, at };
    const elapsed = at - begun.at;
    if (isSaid || (elapsed >= 0 && elapsed < STRETCH_MS)) return;
    if (elapsed > 0) paces.push((1000 * (samples - begun.samples)) / (elapsed * rateHz));
    begun = { samples, at };
    if (paces.length > STRETCHES) paces.shift();
    const [least, most] = [Math.min(...paces), Math.max(...paces)];
    const pace = (least + most) / 2;
    if (paces.length < STRETCHES || most - least > STEADY_WITHIN * pace || Math.abs(pace - 1) < MOST_OFF)
      return;
    isSaid = true;
    const heard = Number((pace * rateHz).toPrecision(3));
    warn(
      `Warning: about ${heard} samples per second arrive, not ${rateHz}, so times, frequencies and weightings are wrong. Set --rate to the rate of the sound.`,
    );
  };
}

const LAYOUT_STRETCH_MS = 2000;
const LAYOUT_STRETCHES = 3;
const [LAYOUT_WITHIN, RIGHT_WITHIN] = [0.05, 0.1];
const LONGEST_DOUBT_MS = 10_000;

/**
 * Detects a wrong sample size: such sound seems to arrive at 4/3 or 3/4 of its rate.
 *
 * @returns a function that notes an arrival. It returns whether the format may be wrong, or BadInput once it surely is
 */
export function createLayoutWatch(rateHz: number, format: SampleFormat) {
  let isRight = ![3, 4].includes(bytesPerSample(format));
  let begun: Arrival | undefined;
  let last: Arrival | undefined;
  let run = 0;

  return function doubtOf(samples: number, at: number): boolean | BadInput {
    begun ??= { samples, at };
    last ??= begun;
    if (!isRight && at - last.at >= LAYOUT_STRETCH_MS) {
      const heard = (1000 * (samples - last.samples)) / (at - last.at);
      const likely = formatsAtPace(format, heard / rateHz, LAYOUT_WITHIN);
      isRight = Math.abs(heard / rateHz - 1) < RIGHT_WITHIN;
      last = { samples, at };
      run = likely.length > 0 ? run + 1 : 0;
      if (run === LAYOUT_STRETCHES)
        return new BadInput(
          `about ${Number(heard.toPrecision(3))} samples of ${format} arrive per second, not ${rateHz}, so the format is likely ${likely.join(' or ')}: set --format to that, or --rate to the rate of the sound`,
        );
    }
    return !isRight && at - begun.at < LONGEST_DOUBT_MS;
  };
}
