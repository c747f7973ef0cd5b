// Watches how fast live sound arrives: a rate that is not the one it has spoils times, frequencies and weightings.

const STRETCH_MS = 10_000;
const STRETCHES = 6;
/** A card is off by less. */
const MOST_OFF = 0.02;
/** Sound that was lost or came in bursts is not this steady. */
const STEADY_WITHIN = 0.02;

/**
 * Warns once where sound has arrived for a minute at a steady rate that is not its own.
 *
 * @param warn shows a line to the user
 * @returns takes note of an arrival: how many samples have come in all, and when, in milliseconds
 */
export function createPaceWatch(rateHz: number, warn: (line: string) => void) {
  const paces: number[] = [];
  let begun: { readonly samples: number; readonly at: number } | undefined;
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
