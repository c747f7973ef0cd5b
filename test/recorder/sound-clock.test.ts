// Sound from simulated microphones: when is each window said to have been taken, and when was it?
import { describe, expect, it } from 'vitest';
import { microsOf } from '../../src/contract/instant.ts';
import { createWindowDates } from '../../src/recorder/window-dates.ts';

const RATE_HZ = 48_000;
const CHUNK = 960; // 20 ms
const WINDOW = 4800;
const PERCENT = 10_000; // ppm
const BEGIN = Date.UTC(2026, 0, 1);

interface Source {
  readonly seconds: number;
  /** Parts in a million by which the card is too fast. */
  readonly drift?: number;
  /** What the pipe holds when the first byte is read, in seconds. */
  readonly backlog?: number;
  /** Nothing is read for `length` seconds from `at` on; then all comes at once, but what was lost after `kept`. */
  readonly stalls?: readonly { at: number; length: number; lost?: number; kept?: number }[];
  /** How long a window is, in samples. */
  readonly window?: number;
  /** How late an arrival is at most, in milliseconds; nearly all are less than a tenth of it. */
  readonly jitter?: number;
}

interface Outcome {
  count: number;
  /** In milliseconds: how late or early windows were dated. */
  earliest: number;
  latest: number;
  /** How many of them by more than 20 ms. */
  off: number;
  /** How long windows were held beyond their arrival. */
  heldMs: number;
  /** Distances of more than 1.5 windows, in milliseconds. */
  gaps: number[];
}

/** A generator of numbers from 0 to 1 (mulberry32). */
function seeded(seed: number) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Plays a source, and holds each window to what must always be. */
function play(source: Source, seed = 1): Outcome {
  const { seconds, drift = 0, backlog = 0, stalls = [], jitter = 60, window = WINDOW } = source;
  const windowMs = (1000 * window) / RATE_HZ;
  const random = seeded(seed);
  const rate = RATE_HZ * (1 + drift / 1e6);
  const dates = createWindowDates<{ from: number; to: number; taken: number; arrived: number }>(RATE_HZ);
  const outcome: Outcome = { count: 0, earliest: 0, latest: 0, off: 0, heldMs: 0, gaps: [] };
  let [last, clock, samples, windowTaken] = [Number.NEGATIVE_INFINITY, 0, 0, 0];

  function check(released: ReturnType<typeof dates.arrived>, at: number): void {
    for (const { time, taken, arrived } of released) {
      const ms = Number(microsOf(time)) / 1000;
      if (ms <= last) throw new Error(`${time} is not after the window before`);
      if (ms + windowMs > at + 0.001)
        throw new Error(`${time} ends ${ms + windowMs - at} ms ahead of the clock`);
      if (ms - last > 1.5 * windowMs && outcome.count > 0) outcome.gaps.push(Math.round(ms - last));
      outcome.earliest = Math.min(outcome.earliest, ms - taken);
      outcome.latest = Math.max(outcome.latest, ms - taken);
      if (Math.abs(ms - taken) > 20) outcome.off += 1;
      outcome.heldMs = Math.max(outcome.heldMs, at - arrived);
      outcome.count += 1;
      last = ms;
    }
  }

  for (let n = 1; (n * CHUNK) / rate < seconds; n++) {
    const taken = (n * CHUNK) / rate; // its last sample
    const stall = stalls.find(({ at, length }) => taken > at && taken <= at + length);
    const { at: from = 0, length = 0, lost = 0, kept = 0 } = stall ?? {};
    if (stall && taken > from + kept && taken <= from + kept + lost) continue;
    const delay = random() < 0.05 ? jitter * random() : (jitter / 10) * random();
    const earliest = Math.max(backlog, stall ? from + length : 0, taken);
    clock = Math.max(clock, BEGIN + earliest * 1000 + delay);
    const begun = samples;
    samples += CHUNK;
    const windows = [];
    const chunkTaken = BEGIN + (taken - CHUNK / rate) * 1000;
    for (let at = Math.ceil(begun / window) * window; at <= samples; at += window) {
      if (at > begun) windows.push({ from: at - window, to: at, taken: windowTaken, arrived: clock });
      if (at < samples) windowTaken = chunkTaken + (1000 * (at - begun)) / rate;
    }
    check(dates.arrived(windows, samples, Math.floor(clock)), Math.floor(clock));
  }
  check(dates.end([], Math.floor(clock)), Math.floor(clock));
  return outcome;
}

const DAY = 86_400;
const { CLOCK_SEEDS } = process.env;
const SEEDS = Array.from({ length: Number(CLOCK_SEEDS ?? 5) }, (_, i) => i + 1);

const rounded = (value: number) => Math.round(value * 10) / 10;

function report(what: string, { earliest, latest, off, heldMs, gaps }: Outcome): void {
  if (CLOCK_SEEDS === undefined) return;
  console.log(
    `${what}: ${rounded(earliest)} to ${rounded(latest)} ms off, ${off} windows by more than 20 ms, held ${Math.round(heldMs)} ms at most, ${gaps.length} gaps`,
  );
}

describe('The clock of live sound', () => {
  it.each([-100, 0, 100])('keeps to the clock with a card that drifts by %i ppm, for a day', (drift) => {
    const outcome = play({ seconds: DAY, drift });
    report(`A day at ${drift} ppm`, outcome);
    expect(outcome.count).toBeGreaterThan(863_000);
    expect(outcome.gaps).toEqual([]);
    expect(outcome.earliest).toBeGreaterThan(-15);
    expect(outcome.latest).toBeLessThan(15);
  });

  it.each([10, 100, 1000])('follows a card that is 1 % too fast or too slow, by windows of %i ms', (ms) => {
    for (const drift of [PERCENT, -PERCENT]) {
      const outcome = play({ seconds: 1800, drift, window: (ms * RATE_HZ) / 1000 });
      report(`Half an hour at ${drift} ppm, ${ms} ms`, outcome);
      expect(outcome.gaps).toEqual([]);
      expect(outcome.earliest).toBeGreaterThan(-45);
      expect(outcome.latest).toBeLessThan(45);
      expect(outcome.off * ms).toBeLessThan(3000); // until the drift is known
    }
  });

  it.each([10, 20, 100, 1000])('dates windows of %i ms within 5 ms', (ms) => {
    const outcome = play({ seconds: 600, backlog: 0.5, window: (ms * RATE_HZ) / 1000 });
    report(`Windows of ${ms} ms`, outcome);
    expect(outcome.count).toBeGreaterThan(599_000 / ms - 1);
    expect([outcome.earliest > -5, outcome.latest < 5]).toEqual([true, true]);
  });

  it.each(SEEDS)('finds the beginning of sound of which 8 s wait in the pipe (seed %i)', (seed) => {
    const outcome = play({ seconds: 30, backlog: 8 }, seed);
    report('8 s in the pipe', outcome);
    expect(outcome.count).toBe(299);
    expect(outcome.gaps).toEqual([]);
    expect([outcome.earliest > -10, outcome.latest < 10]).toEqual([true, true]);
    expect(outcome.heldMs).toBeLessThan(1200);
  });

  it.each(SEEDS)('makes lost sound a gap, and moves nothing before or after it (seed %i)', (seed) => {
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
    // nobody can tell on which side of a loss the sound was that came right at its end: a window, at most
    expect(outcome.off).toBeLessThanOrEqual(10);
    expect(outcome.heldMs).toBeLessThan(3500);
  });

  it.each(SEEDS)('makes no gap of a stall after which all comes (seed %i)', (seed) => {
    const random = seeded(seed);
    const stalls = Array.from({ length: 20 }, (_, i) => ({ at: 30 * (i + 1), length: 20 * random() }));
    const outcome = play({ seconds: 700, stalls }, seed);
    report('20 stalls without loss', outcome);
    expect(outcome.gaps).toEqual([]);
    expect([outcome.earliest > -10, outcome.latest < 10]).toEqual([true, true]);
  });

  it.each(SEEDS)('is not misled by a stall at the very beginning (seed %i)', (seed) => {
    const length = 0.5 + 3 * seeded(seed)();
    for (const stall of [{ length }, { length, lost: length }]) {
      const outcome = play({ seconds: 60, backlog: 0.1, stalls: [{ at: 0.4, ...stall }] }, seed);
      report(`A stall of ${rounded(length)} s at the beginning`, outcome);
      expect([outcome.earliest > -20, outcome.latest < 20]).toEqual([true, true]);
      expect(outcome.gaps).toHaveLength('lost' in stall ? 1 : 0);
    }
  });

  it('takes two losses in one breath for what they are', () => {
    const stalls = [
      { at: 60, length: 3, lost: 3 },
      { at: 64, length: 2, lost: 2 },
    ];
    const outcome = play({ seconds: 120, stalls });
    report('Two losses in a row', outcome);
    expect(outcome.gaps).toHaveLength(2);
    expect([outcome.earliest > -130, outcome.latest < 130]).toEqual([true, true]);
  });

  it('bears a machine that is busy: half a second of jitter', () => {
    const outcome = play({ seconds: 3600, drift: 100, jitter: 500 });
    report('An hour of half a second of jitter', outcome);
    expect(outcome.gaps).toEqual([]);
    expect([outcome.earliest > -60, outcome.latest < 60]).toEqual([true, true]);
  });

  it('holds sound that is faster than its rate for a minute, no longer', () => {
    const outcome = play({ seconds: 180, drift: 9 * PERCENT });
    report('Sound that is 9 % faster than its rate', outcome);
    expect(outcome.heldMs).toBeLessThan(61_000);
    expect(outcome.count).toBe(1962);
  });

  it('dates what never comes in real time so that it ends now', () => {
    const dates = createWindowDates<{ from: number; to: number }>(RATE_HZ);
    const at = BEGIN;
    for (let n = 0; n < 50; n++)
      expect(dates.arrived([{ from: n * WINDOW, to: (n + 1) * WINDOW }], (n + 1) * WINDOW, at)).toEqual([]);
    const windows = dates.end([], at);
    expect([windows[0]?.time, windows.at(-1)?.time]).toEqual([
      '2025-12-31T23:59:55.000000Z',
      '2025-12-31T23:59:59.900000Z',
    ]);
  });

  it('goes on where the clock of the machine is set, forth or back', () => {
    for (const shift of [3_600_000, -3_600_000]) {
      const dates = createWindowDates<{ from: number; to: number }>(RATE_HZ);
      let last = 0;
      for (let n = 1; n <= 200; n++) {
        const at = BEGIN + n * 100 + (n > 100 ? shift : 0);
        for (const { time } of dates.arrived([{ from: (n - 1) * WINDOW, to: n * WINDOW }], n * WINDOW, at))
          last = Number(microsOf(time)) / 1000;
      }
      expect(last).toBe(BEGIN + 199 * 100 + shift);
    }
  });
});
