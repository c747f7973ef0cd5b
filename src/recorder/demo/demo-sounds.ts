// Makes the sounds of the made-up day: the room, people talking, a clock, and the loud moments.
import { sumsOf } from '../sound/window-power.ts';

/** One period of a sound, a power of two samples long. Its RMS is 1, so the meter reads the requested level. */
type Wave = Float32Array;

const SINE = harmonics(1, () => 1);
/** A shout. */
const HORN = harmonics(6, (n) => 1 / n);
/** Vowels, by the harmonic of their first formant. */
const VOWELS = [2.5, 3.3, 4.1, 5, 6].map((formant) =>
  harmonics(12, (n) => 1 / (1 + (n - formant) ** 2) + 0.35 / (1 + (n - 3.1 * formant) ** 2)),
);
/** Dull, like a street heard through a window. */
const NOISE = noise();
/** The notes of a tower clock at each quarter hour, in Hz. */
const CHIME = [659, 523, 587, 392];

function harmonics(count: number, strengthOf: (n: number) => number): Wave {
  const strengths = Array.from({ length: count }, (_, i) => strengthOf(i + 1));
  return withRmsOfOne(
    Float32Array.from({ length: 2 ** 11 }, (_, at) =>
      strengths.reduce(
        (sum, strength, i) => sum + strength * Math.sin((Math.PI * (i + 1) * at) / 2 ** 10),
        0,
      ),
    ),
  );
}

function noise(): Wave {
  let low = 0;
  return withRmsOfOne(
    Float32Array.from({ length: 2 ** 16 }, (_, at) => (low += 0.35 * (2 * chance(at, 40) - 1 - low))),
  );
}

function withRmsOfOne(wave: Wave): Wave {
  const rms = Math.sqrt(sumsOf(wave).energy / wave.length);
  return wave.map((sample) => sample / rms);
}

/** Pseudo-random, 0..1. The same arguments always give the same number. */
function chance(slot: number, salt: number): number {
  let h = Math.imul(slot | 0, 0x9e3779b1) ^ Math.imul(salt + 1, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
}

/** A number 0..1 that wanders smoothly, with a new goal every `periodSeconds`. */
function wander(seconds: number, periodSeconds: number, salt: number): number {
  const slot = Math.floor(seconds / periodSeconds);
  const part = seconds / periodSeconds - slot;
  const ease = part * part * (3 - 2 * part);
  return chance(slot, salt) * (1 - ease) + chance(slot + 1, salt) * ease;
}

/** True during a hush: 4 to 24 s of silence now and then, more often at night. */
export function isHush(seconds: number, liveliness: number): boolean {
  const slot = Math.floor(seconds / 90);
  const age = seconds - slot * 90 - 60 * chance(slot, 30);
  return age >= 0 && age < 4 + 20 * chance(slot, 31) && chance(slot, 32) < 0.85 - 0.75 * liveliness;
}

/** The room: soft noise whose level follows the day, and the hum of a machine that comes and goes. */
export function addRoom(samples: Float32Array, seconds: number, rateHz: number, liveliness: number): void {
  const db = -44 + 9 * liveliness ** 0.5 + 4 * wander(seconds, 420, 1) + 3 * wander(seconds, 9, 2);
  addNoise(samples, seconds, rateHz, db);
  const machine = wander(seconds, 2400, 3);
  if (machine > 0.6) addWave(samples, SINE, seconds, rateHz, 148, -46 + 25 * (machine - 0.6));
}

/** The faint noise of a hush. */
export function addHush(samples: Float32Array, seconds: number, rateHz: number): void {
  addNoise(samples, seconds, rateHz, -58 + 11 * wander(seconds, 5, 33));
}

/** Two people talking in turns: syllables of vowels, with pauses. */
export function addTalk(samples: Float32Array, seconds: number, rateHz: number, liveliness: number): void {
  if (chance(Math.floor(seconds / 90), 10) > liveliness) return;
  const turn = Math.floor(seconds / 4.5);
  if (chance(turn, 11) < 0.25) return;
  const syllable = Math.floor(seconds / 0.22);
  if (chance(syllable, 13) < 0.22) return;
  const speakerHz = chance(turn, 12) < 0.5 ? 112 : 205;
  const pitchHz = speakerHz * (0.9 + 0.25 * chance(syllable, 14));
  const vowel = VOWELS[Math.floor(VOWELS.length * chance(syllable, 15))] ?? SINE;
  const part = seconds / 0.22 - syllable;
  const db = -32 + 10 * wander(seconds, 45, 16) + 5 * chance(syllable, 17) - 6 * part;
  addWave(samples, vowel, seconds, rateHz, pitchHz, db);
}

/** A tower clock: four notes each quarter hour. */
export function addClock(samples: Float32Array, seconds: number, rateHz: number): void {
  const age = seconds % 900;
  const hz = CHIME[Math.floor(age / 1.5)];
  if (hz !== undefined) addWave(samples, SINE, seconds, rateHz, hz, -20 - 8 * (age % 1.5));
}

/** Something loud now and then: an alarm, a shout, a vacuum cleaner. Several per hour by day, about one at night. */
export function addEvent(samples: Float32Array, seconds: number, rateHz: number, liveliness: number): void {
  const slot = Math.floor(seconds / 480);
  const length = 2 + 25 * chance(slot, 21) ** 2;
  const age = seconds - slot * 480 - 440 * chance(slot, 20);
  if (age < 0 || age > length || chance(slot, 22) > 0.15 + 0.8 * liveliness) return;
  const db = -9 + 4 * chance(slot, 23) - 3 * (age / length);
  const kind = chance(slot, 24);
  const pitch = chance(slot, 25);
  if (kind < 0.4) {
    addWave(samples, SINE, seconds, rateHz, (age % 1 < 0.5 ? 1800 : 2300) + 800 * pitch, db);
  } else if (kind < 0.7) {
    addWave(samples, HORN, seconds, rateHz, 330 + 160 * pitch + 40 * Math.sin(5 * age), db);
  } else {
    addWave(samples, SINE, seconds, rateHz, 200 + 90 * pitch, db - 2);
    addNoise(samples, seconds, rateHz, db - 4);
  }
}

/** Adds a wave whose phase follows the clock, so that windows join without a step. */
function addWave(
  samples: Float32Array,
  wave: Wave,
  seconds: number,
  rateHz: number,
  hz: number,
  db: number,
): void {
  const amplitude = 10 ** (db / 20);
  const step = (wave.length * hz) / rateHz;
  const last = wave.length - 1;
  let at = wave.length * ((hz * (seconds % 3600)) % 1);
  for (let i = 0; i < samples.length; i++) {
    samples[i] = (samples[i] ?? 0) + amplitude * (wave[at & last] ?? 0);
    at += step;
  }
}

function addNoise(samples: Float32Array, seconds: number, rateHz: number, db: number): void {
  addWave(samples, NOISE, seconds, rateHz, rateHz / NOISE.length, db);
}
