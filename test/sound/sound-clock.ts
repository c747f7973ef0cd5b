// Plays sound from simulated microphones, and compares the time of each window with when it was really recorded.
import { expect, it } from 'vitest';
import { microsOf } from '../../src/contract/instant.ts';
import { createWindowDates } from '../../src/sound/window-dates.ts';
import { seeded } from '../seeded.ts';

export const RATE_HZ = 48_000;
const CHUNK = 960; // 20 ms
/** The seconds at the start whose lateness is averaged. */
const FIRST_SECONDS = 8;
export const WINDOW = 4800;
export const PERCENT = 10_000; // ppm
export const BEGIN = Date.UTC(2026, 0, 1);

export interface Source {
  readonly seconds: number;
  /** How many parts in a million the card is too fast. */
  readonly drift?: number;
  /** How much sound the pipe holds when the first byte is read, in seconds. */
  readonly backlog?: number;
  /**
   * From `at` on, nothing is read for `length` seconds. Then everything comes at once, except sound lost after `kept`.
   */
  readonly stalls?: readonly { at: number; length: number; lost?: number; kept?: number }[];
  /** The length of a window, in samples. */
  readonly window?: number;
  /** The maximum delay of an arrival, in milliseconds; nearly all are less than a tenth of it, unless it is even. */
  readonly jitter?: number;
  readonly isEven?: boolean;
  /** How many samples arrive at once. */
  readonly chunk?: number;
}

export interface Outcome {
  count: number;
  /** How early (negative) and how late windows were dated, in milliseconds. */
  earliest: number;
  latest: number;
  /** How late the windows of the first seconds were dated on average, in milliseconds. */
  firstLate: number;
  /** How many windows were off by more than 20 ms. */
  off: number;
  /** How long windows were held beyond their arrival. */
  heldMs: number;
  /** Spacings of more than 1.5 windows, in milliseconds. */
  gaps: number[];
  /** Clock corrections, in milliseconds. */
  corrections: number[];
}

/** Plays a source, and checks each window against the invariants. */
export function play(source: Source, seed = 1): Outcome {
  const { seconds, drift = 0, backlog = 0, stalls = [], jitter = 60, window = WINDOW } = source;
  const { isEven = false, chunk = CHUNK } = source;
  const windowMs = (1000 * window) / RATE_HZ;
  const random = seeded(seed);
  const rate = RATE_HZ * (1 + drift / 1e6);
  const dates = createWindowDates<{ from: number; to: number; taken: number; arrived: number }>(RATE_HZ);
  const outcome: Outcome = {
    ...{ count: 0, earliest: 0, latest: 0, firstLate: 0, off: 0, heldMs: 0 },
    ...{ gaps: [], corrections: [] },
  };
  let [last, clock, samples, windowTaken] = [Number.NEGATIVE_INFINITY, 0, 0, 0];

  function check(released: ReturnType<typeof dates.arrived>, at: number): void {
    for (const { time, taken, arrived, correctionMs } of released) {
      const ms = Number(microsOf(time)) / 1000;
      if (ms <= last) throw new Error(`${time} is not after the window before`);
      if (ms + windowMs > at + 0.001)
        throw new Error(`${time} ends ${ms + windowMs - at} ms ahead of the clock`);
      if (ms - last > 1.5 * windowMs && outcome.count > 0) outcome.gaps.push(Math.round(ms - last));
      const movedMs = outcome.count > 0 ? ms - last - windowMs : 0;
      if (Math.abs(movedMs - (correctionMs ?? 0)) > (correctionMs === undefined ? 2 : 0.001))
        throw new Error(`${time} was moved by ${movedMs} ms, but says ${correctionMs}`);
      if (correctionMs !== undefined) outcome.corrections.push(correctionMs);
      outcome.earliest = Math.min(outcome.earliest, ms - taken);
      outcome.latest = Math.max(outcome.latest, ms - taken);
      if (taken < BEGIN + FIRST_SECONDS * 1000)
        outcome.firstLate += ((ms - taken) * windowMs) / (FIRST_SECONDS * 1000);
      if (Math.abs(ms - taken) > 20) outcome.off += 1;
      outcome.heldMs = Math.max(outcome.heldMs, at - arrived);
      outcome.count += 1;
      last = ms;
    }
  }

  for (let n = 1; (n * chunk) / rate < seconds; n++) {
    const taken = (n * chunk) / rate; // its last sample
    const stall = stalls.find(({ at, length }) => taken > at && taken <= at + length);
    const { at: from = 0, length = 0, lost = 0, kept = 0 } = stall ?? {};
    if (stall && taken > from + kept && taken <= from + kept + lost) continue;
    const delay = isEven || random() < 0.05 ? jitter * random() : (jitter / 10) * random();
    const earliest = Math.max(backlog, stall ? from + length : 0, taken);
    clock = Math.max(clock, BEGIN + earliest * 1000 + delay);
    const begun = samples;
    samples += chunk;
    const windows = [];
    const chunkTaken = BEGIN + (taken - chunk / rate) * 1000;
    for (let at = Math.ceil(begun / window) * window; at <= samples; at += window) {
      if (at > begun) windows.push({ from: at - window, to: at, taken: windowTaken, arrived: clock });
      if (at < samples) windowTaken = chunkTaken + (1000 * (at - begun)) / rate;
    }
    check(dates.arrived(windows, samples, Math.floor(clock)), Math.floor(clock));
  }
  check(dates.end([], Math.floor(clock)), Math.floor(clock));
  return outcome;
}

/** The tests that must pass with any seed. */
export function datesWithSeed(
  seed: number,
  report: (what: string, outcome: Outcome) => void = () => {},
): void {
  it(`finds the start of the sound if 8 s wait in the pipe (seed ${seed})`, () => {
    const outcome = play({ seconds: 30, backlog: 8 }, seed);
    report('8 s in the pipe', outcome);
    expect(outcome.count).toBe(299);
    expect(outcome.gaps).toEqual([]);
    expect([outcome.earliest > -10, outcome.latest < 10]).toEqual([true, true]);
    expect(outcome.heldMs).toBeLessThan(1200);
  });

  it(`turns lost sound into a gap, and moves nothing before or after it (seed ${seed})`, () => {
    const random = seeded(seed);
    const stalls = Array.from({ length: 10 }, (_, i) => {
      const lost = 0.4 + 5 * random();
      const kept = i % 2 ? 0.7 * random() : 0; // in the pipe, from before the loss
      return { at: 60 * (i + 1), length: kept + lost, lost, kept };
    });
    const outcome = play({ seconds: 700, drift: 100 * (random() - 0.5), stalls }, seed);
    report('10 losses', outcome);
    expect(outcome.gaps).toHaveLength(10);
    for (const [i, gap] of outcome.gaps.entries())
      expect(Math.abs(gap - 100 - 1000 * (stalls[i]?.lost ?? 0))).toBeLessThan(130);
    expect(outcome.corrections.filter((ms) => ms > 50).map((ms) => Math.round(ms) + 100)).toEqual(
      outcome.gaps,
    );
    // sound right at the end of a loss may belong to either side: one window at most
    expect(outcome.off).toBeLessThanOrEqual(10);
    expect(outcome.heldMs).toBeLessThan(3500);
  });

  it(`makes no gap of a stall after which all sound arrives (seed ${seed})`, () => {
    const random = seeded(seed);
    const stalls = Array.from({ length: 20 }, (_, i) => ({ at: 30 * (i + 1), length: 20 * random() }));
    const outcome = play({ seconds: 700, stalls }, seed);
    report('20 stalls without loss', outcome);
    expect(outcome.gaps).toEqual([]);
    expect([outcome.earliest > -10, outcome.latest < 10]).toEqual([true, true]);
  });

  it(`tolerates a stall at the very start (seed ${seed})`, () => {
    const length = 0.5 + 3 * seeded(seed)();
    for (const stall of [{ length }, { length, lost: length }]) {
      const outcome = play({ seconds: 60, backlog: 0.1, stalls: [{ at: 0.4, ...stall }] }, seed);
      report(`A stall of ${rounded(length)} s at the beginning`, outcome);
      expect([outcome.earliest > -20, outcome.latest < 20]).toEqual([true, true]);
      expect(outcome.gaps).toHaveLength('lost' in stall ? 1 : 0);
    }
  });
}

export const rounded = (value: number) => Math.round(value * 10) / 10;
