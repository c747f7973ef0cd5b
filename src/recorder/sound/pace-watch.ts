// Watches how fast live sound arrives: a rate that is not the one it has spoils times, frequencies and weightings.
import { BadInput } from '../bad-input.ts';
import { bytesPerSample, formatsAtPace, type SampleFormat } from '../sources/sample-format.ts';

const STRETCH_MS = 10_000;
const STRETCHES = 6;
/** A card is off by less. */
const MOST_OFF = 0.02;
/** Sound that was lost or came in bursts is not this steady. */
const STEADY_WITHIN = 0.02;

type Arrival = { readonly samples: number; readonly at: number };

/**
 * Warns once where sound has arrived for a minute at a steady rate that is not its own.
 *
 * @param warn shows a line to the user
 * @returns takes note of an arrival: how many samples have come in all, and when, in milliseconds
 */
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
      `Warning: about ${heard} samples arrive a second, not ${rateHz}: times, frequencies and weightings are wrong unless the rate is that of the sound.`,
    );
  };
}

const LAYOUT_STRETCH_MS = 2000;
const LAYOUT_STRETCHES = 3;
const [LAYOUT_WITHIN, RIGHT_WITHIN] = [0.05, 0.1];
const LONGEST_DOUBT_MS = 10_000;

/**
 * Sound whose samples take other bytes than its format says arrives at 4/3 or 3/4 of its rate.
 *
 * @returns a function that notes an arrival, as above, and says if the layout may be wrong; once that is certain, what to do
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
          `about ${Number(heard.toPrecision(3))} samples of ${format} arrive a second, not ${rateHz}, so their format is likely ${likely.join(' or ')}: give that as --format, or the rate of the sound`,
        );
    }
    return !isRight && at - begun.at < LONGEST_DOUBT_MS;
  };
}
