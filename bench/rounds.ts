// Measures two implementations of the same work in turn, so that other work on the machine slows both.
import { digits, median } from './figure.ts';

export interface Round<T> {
  readonly ours: T;
  readonly theirs: T;
}

/** @param measure measures one implementation, once per round */
export async function inTurn<Way, T>(
  rounds: number,
  { ours, theirs }: Round<Way>,
  measure: (way: Way, round: number) => Promise<T>,
): Promise<Round<T>[]> {
  const measured: Round<T>[] = [];
  for (let round = 1; round <= rounds; round++)
    measured.push({ ours: await measure(ours, round), theirs: await measure(theirs, round) });
  return measured;
}

/** The ratio of ours to theirs, in the median round. */
export function ratioOf<T>(rounds: readonly Round<T>[], by: (side: T) => number, unit: string) {
  const ratio = ({ ours, theirs }: Round<T>) => by(ours) / by(theirs);
  const middle = median(rounds, ratio);
  const note = `${digits(by(middle.ours))} against ${digits(by(middle.theirs))} ${unit}`;
  return { value: ratio(middle), unit: 'times', note } as const;
}
