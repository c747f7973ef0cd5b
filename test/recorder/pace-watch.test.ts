// Whether sound arrives as fast as its rate says.
import { expect, it } from 'vitest';
import { createPaceWatch } from '../../src/recorder/pace-watch.ts';

const RATE_HZ = 48_000;

/** What is said of so many seconds of sound, a piece each tenth of a second, or in bursts of so many seconds. */
function said(seconds: number, pace: number, burst = 0.1): string[] {
  const lines: string[] = [];
  const arrived = createPaceWatch(RATE_HZ, (line) => lines.push(line));
  for (let n = 1; n * burst <= seconds; n++)
    arrived(Math.round(n * burst * pace * RATE_HZ), n * burst * 1000);
  return lines;
}

const line = (heard: number) =>
  `Warning: about ${heard} samples arrive a second, not 48000: times, frequencies and weightings are wrong unless the rate is that of the sound.`;

it.each([
  [48_000 / 44_100, 52_200],
  [44_100 / 48_000, 44_100],
  [1 / 3, 16_000],
  [2, 96_000],
])('Sound at %d times its rate is told once, after a minute', (pace, heard) => {
  expect(said(59, pace)).toEqual([]);
  expect(said(600, pace)).toEqual([line(heard)]);
});

it.each([1, 1.01, 0.99])('Sound at %d times its rate is not', (pace) => expect(said(600, pace)).toEqual([]));

it('Bursts are not, nor is a source that stalls now and then', () => {
  expect(said(600, 1, 5)).toEqual([]);
  const lines: string[] = [];
  const arrived = createPaceWatch(RATE_HZ, (line) => lines.push(line));
  for (let n = 1; n < 600; n++) arrived((n - 3 * Math.floor(n / 60)) * RATE_HZ, n * 1000);
  expect(lines).toEqual([]);
});
