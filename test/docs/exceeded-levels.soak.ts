// Recomputes the table in docs/explanation/levels.md: L_N of windows minus L_AF,N, from synthesised road traffic.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createFrequencyWeighting } from '../../src/sound/frequency-weighting.ts';
import { createTimeWeighting } from '../../src/sound/window-power.ts';
import { noise } from '../recorder/sound.ts';

const RATE_HZ = 8000;
/** The number of samples after which F is read and the envelope changes. */
const STEP = RATE_HZ / 100;
const STEPS = 360_000; // an hour
const RUNS = 3;
const NAMES = ['Leq of 100 ms', 'Leq of 1 s', 'Leq of 10 s', 'Leq of 60 s', 'LAFmax of 1 s'];
const PERCENTS = [10, 50, 90, 95];
const WINDOWS = [10, 100, 1000, 6000]; // in steps
const BACKGROUND_DB = { busy: 45, quiet: 38 };
const VEHICLES = { busy: 900, quiet: 60 };
type Street = keyof typeof VEHICLES;
const STREETS: readonly Street[] = ['busy', 'quiet'];

const power = (db: number) => 10 ** (db / 10);
const db = (power: number) => 10 * Math.log10(power);

/** Pseudo-random numbers from 0 to 1, the same for each seed. */
function random(seed: number): () => number {
  const next = noise(1 / Math.sqrt(12), seed);
  for (let n = 0; n < 100; n++) next(0);
  return () => next(0) + 0.5;
}

/** The power per step at a microphone 10 m from the lane. Vehicles drive at 35 to 60 km/h, and 8 % are heavy. */
function passBys(street: Street, seed: number): Float64Array {
  const next = random(seed);
  const envelope = new Float64Array(STEPS).fill(power(BACKGROUND_DB[street]));
  for (let vehicle = 0; vehicle < VEHICLES[street]; vehicle++) {
    const at = next() * STEPS;
    const stepM = (35 + 25 * next()) / 3.6 / 100;
    const spread = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
    const emitted = power(70 + 3 * spread + (next() < 0.08 ? 8 : 0)) * 7.5 ** 2;
    for (let n = Math.max(0, Math.ceil(at - 6000)); n < Math.min(STEPS, at + 6000); n++)
      envelope[n] = (envelope[n] ?? 0) + emitted / (10 ** 2 + (stepM * (n - at)) ** 2);
  }
  return envelope;
}

/** For each street and step: the last and the highest power of F, and the mean power. Streets share one noise. */
function measured(seed: number) {
  const streets = STREETS.map((street) => ({
    envelope: passBys(street, seed),
    fast: createTimeWeighting('fast', RATE_HZ, power(BACKGROUND_DB[street])),
    ends: new Float64Array(STEPS),
    highest: new Float64Array(STEPS),
    means: new Float64Array(STEPS),
  }));
  const wave = noise(1, seed + 1000);
  const weigh = createFrequencyWeighting('A', RATE_HZ);
  const share = 1 - Math.exp((-2 * Math.PI * 1000) / RATE_HZ); // a road sounds duller above 1 kHz
  const sound = new Float64Array(STEP);
  let low = 0;
  for (let step = 0; step < STEPS; step++) {
    for (let n = 0; n < STEP; n++) {
      low += share * (wave(0) - low);
      sound[n] = weigh(low);
    }
    for (const { envelope, fast, ends, highest, means } of streets) {
      const amplitude = Math.sqrt(envelope[step] ?? 0);
      let [sum, most, last] = [0, 0, 0];
      for (const sample of sound) {
        const heard = amplitude * sample;
        last = fast(heard);
        sum += heard ** 2;
        if (last > most) most = last;
      }
      ends[step] = last;
      highest[step] = most;
      means[step] = sum / STEP;
    }
  }
  return streets;
}

function windowed(steps: Float64Array, length: number, of: (window: Float64Array) => number): number[] {
  return Array.from({ length: steps.length / length }, (_, n) =>
    of(steps.subarray(n * length, (n + 1) * length)),
  );
}

const mean = (values: Float64Array | readonly number[]) =>
  Float64Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;

function exceeded(powers: Float64Array | readonly number[]): number[] {
  const sorted = Float64Array.from(powers).sort();
  return PERCENTS.map((percent) => db(sorted[Math.ceil(sorted.length * (1 - percent / 100)) - 1] ?? 0));
}

/** L_N minus L_AF,N, by street and kind of window. */
const differences = (seed: number) =>
  measured(seed).map(({ ends, highest, means }) => {
    const detected = exceeded(ends);
    const levels = [
      ...WINDOWS.map((length) => exceeded(windowed(means, length, mean))),
      exceeded(windowed(highest, 100, (window) => Math.max(...window))),
    ];
    return levels.map((row) => row.map((level, n) => level - (detected[n] ?? 0)));
  });

function shown(difference: number): string {
  const text = difference.toFixed(1);
  if (Number(text) === 0) return '0.0';
  return difference > 0 ? `+${text}` : text;
}

it("equals the differences between the recorder's levels", { timeout: 300_000 }, () => {
  const runs = Array.from({ length: RUNS }, (_, run) => differences(run + 1));
  const streets = STREETS.map((_, street) => runs.map((run) => run[street] ?? []));
  const rows = NAMES.map((name, row) => {
    const cells = streets.flatMap((runs) =>
      PERCENTS.map((_, n) => shown(mean(runs.map((run) => run[row]?.[n] ?? Number.NaN)))),
    );
    return `| ${[name, ...cells].join(' | ')} |`;
  });
  const page = readFileSync(new URL('../../docs/explanation/levels.md', import.meta.url), 'utf8');
  expect(page.split('\n').filter((line) => /^\| (Leq|LAFmax) of /.test(line))).toEqual(rows);
  const apart = streets.flatMap((runs) =>
    NAMES.flatMap((_, row) =>
      PERCENTS.map((_, n) => {
        const values = runs.map((run) => run[row]?.[n] ?? Number.NaN);
        return Math.max(...values) - Math.min(...values);
      }),
    ),
  );
  expect(/hours differ by up to ([\d.]+) dB/.exec(page)?.[1]).toBe(Math.max(...apart).toFixed(1));
});
