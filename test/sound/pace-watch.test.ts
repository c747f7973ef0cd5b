// Tests the checks that sound arrives as fast as its rate promises.
import { expect, it } from 'vitest';
import { messageOf } from '../../src/commands/progress.ts';
import type { Point } from '../../src/contract/point.ts';
import { createLiveMeter } from '../../src/sound/live-meter.ts';
import { createPaceWatch } from '../../src/sound/pace-watch.ts';
import type { SampleFormat } from '../../src/sound/sample-format.ts';

const RATE_HZ = 48_000;

/** The warnings for this many seconds of sound, in pieces of `burst` seconds. */
function said(seconds: number, pace: number, burst = 0.1): string[] {
  const lines: string[] = [];
  const arrived = createPaceWatch(RATE_HZ, (line) => lines.push(line));
  for (let n = 1; n * burst <= seconds; n++)
    arrived(Math.round(n * burst * pace * RATE_HZ), n * burst * 1000);
  return lines;
}

const line = (heard: number) =>
  `Warning: about ${heard} samples per second arrive, not 48000, so times, frequencies and weightings are wrong. Set --rate to the rate of the sound.`;

it.each([
  [48_000 / 44_100, 52_200],
  [44_100 / 48_000, 44_100],
  [1 / 3, 16_000],
  [2, 96_000],
])('Sound at %d times its rate is reported once, after a minute', (pace, heard) => {
  expect(said(59, pace)).toEqual([]);
  expect(said(600, pace)).toEqual([line(heard)]);
});

it.each([1, 1.01, 0.99])('Sound at %d times its rate is not reported', (pace) =>
  expect(said(600, pace)).toEqual([]),
);

it('Bursts are not reported, nor is a source that stalls now and then', () => {
  expect(said(600, 1, 5)).toEqual([]);
  const lines: string[] = [];
  const arrived = createPaceWatch(RATE_HZ, (line) => lines.push(line));
  for (let n = 1; n < 600; n++) arrived((n - 3 * Math.floor(n / 60)) * RATE_HZ, n * 1000);
  expect(lines).toEqual([]);
});

/** The points of this many seconds of sound at a pace, and the fault that ended it. */
function live(format: SampleFormat, pace: number, seconds: number) {
  let at = 0;
  const meter = createLiveMeter({ rateHz: 8000, format, intervalMs: 100, silenceDb: -45 }, () => at);
  const piece = (n: number) => new Float32Array(Math.round(800 * pace * (n === 1 ? 15 : 1))); // sound that waited in the pipe
  const points: Point[] = [];
  try {
    for (let n = 0; n < 10 * seconds; n++, at += 100) points.push(...meter.push([piece(n)]));
  } catch (error) {
    return { fault: messageOf(error), at, points: points.concat(meter.finish()) };
  }
  return { fault: undefined, at, points: points.concat(meter.finish()) };
}

it.each<[SampleFormat, number, RegExp]>([
  [
    's24le',
    4 / 3,
    /^about 10700 samples of s24le arrive per second, not 8000, .* likely s24_32le \(ALSA's S24_LE\) or s32le/,
  ],
  ['s24_32le', 3 / 4, /^about 6000 samples of s24_32le .* likely s24le \(ALSA's S24_3LE\)/],
  ['s32be', 3 / 4, /likely s24be/],
])(
  'Live sound of %s at %d times its rate names the likely format within ten seconds, and stores nothing',
  (format, pace, message) => {
    const { fault, at, points } = live(format, pace, 20);
    expect(fault).toMatch(message);
    expect(at).toBeLessThanOrEqual(10_000);
    expect(points).toEqual([]);
  },
);

it.each<[SampleFormat, number]>([
  ['s16le', 4 / 3],
  ['s24le', 1],
  ['s24le', 48 / 44.1],
  ['s32le', 2 / 3],
])('Live sound of %s at %d times its rate is stored', (format, pace) => {
  const { fault, points } = live(format, pace, 20);
  expect([fault, points.length]).toEqual([undefined, expect.closeTo(214 * pace, -1)]);
});
