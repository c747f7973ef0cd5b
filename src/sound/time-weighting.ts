// The time weightings F and S of IEC 61672-1:2013, 5.8.

/** Time constants in seconds. */
const SECONDS = { fast: 0.125, slow: 1 };
/** Smaller powers (-600 dB) count as zero, because denormal numbers are slow. */
const NOTHING = 1e-60;

export type TimeWeighting = keyof typeof SECONDS;
export const TIME_WEIGHTINGS: readonly TimeWeighting[] = ['fast', 'slow'];

/**
 * @param power the initial mean square
 * @returns a function that takes one sample after another and returns the exponentially weighted mean square
 */
export function createTimeWeighting(name: TimeWeighting, rateHz: number, power: number) {
  const share = -Math.expm1(-1 / (rateHz * SECONDS[name]));
  let weighted = power;
  return (sample: number): number => {
    const exact = weighted + share * (sample ** 2 - weighted);
    weighted = exact < NOTHING ? 0 : exact;
    return weighted;
  };
}
