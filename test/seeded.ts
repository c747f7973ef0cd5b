// Repeatable random numbers, and the length of a soak.

/** Uniform numbers from 0 to 1 (mulberry32). Equal seeds give equal sequences. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The positive number in an environment variable that lengthens a soak. An empty variable counts as unset. */
export function soakNumber(name: string, usual: number): number {
  const { [name]: given } = process.env;
  const number = Number(given || usual);
  if (!(number > 0)) throw new Error(`${name} is ${given}; it must be a number above 0`);
  return number;
}

/** Draws and prints a seed for a soak. The environment variable SEED repeats a run. */
export function soakSeed(): number {
  const seed = soakNumber('SEED', 1 + (Date.now() % 1_000_000));
  console.log(`SEED=${seed}`);
  return seed;
}
