// Chance that a run can repeat.

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

/** Another one in each soak, which prints it; SEED repeats a run. */
export function soakSeed(): number {
  const { SEED = String(Date.now() % 1_000_000) } = process.env;
  console.log(`SEED=${SEED}`);
  return Number(SEED);
}
