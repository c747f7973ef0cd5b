// Two ways of the same work, timed in turn, so that what else the machine does meets both.

export interface Round<T> {
  readonly ours: T;
  readonly theirs: T;
}

/** @param measure measures one way, once in each round */
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
