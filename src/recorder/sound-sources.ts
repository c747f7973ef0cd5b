// Makes the sounds of the made-up day: the room and the street, people talking, and the loud moments.

/** A number 0..1 that depends only on its arguments. It decides what happens in a slot of time. */
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

const amplitudeOf = (db: number) => 10 ** (db / 20);

/** The room: soft noise whose level follows the day, and the hum of a machine that comes and goes. */
export function addNoise(samples: Float32Array, seconds: number, rateHz: number, liveliness: number): void {
  const levelDb = -56 + 13 * liveliness ** 0.5 + 10 * wander(seconds, 420, 1) + 5 * wander(seconds, 9, 2);
  const peak = 2.4 * amplitudeOf(levelDb);
  let state = (Math.floor(seconds * 1000) | 0) ^ 0x5bd1e995;
  let low = 0;
  for (let i = 0; i < samples.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    low += 0.35 * (state / 2 ** 31 - low); // low-pass: a street heard through a window
    samples[i] = (samples[i] as number) + peak * low;
  }
  const machine = wander(seconds, 2400, 3);
  if (machine > 0.7) addTone(samples, seconds, rateHz, 148, amplitudeOf(-60 + 40 * (machine - 0.5)));
}

/** Two people talking in turns: syllables of harmonics, shaped by the formants of a vowel, with pauses. */
export function addTalk(samples: Float32Array, seconds: number, rateHz: number, liveliness: number): void {
  const minute = Math.floor(seconds / 90);
  if (chance(minute, 10) > liveliness) return;
  const turn = Math.floor(seconds / 4.5);
  if (chance(turn, 11) < 0.25) return;
  const speaker = chance(turn, 12) < 0.5 ? 0 : 1;
  const syllable = Math.floor(seconds / 0.22);
  if (chance(syllable, 13) < 0.22) return;
  const part = seconds / 0.22 - syllable;
  const pitchHz = (speaker === 0 ? 112 : 205) * (0.9 + 0.25 * chance(syllable, 14));
  const formantHz = 280 + 520 * chance(syllable, 15);
  const loudness = amplitudeOf(-31 + 10 * wander(seconds, 45, 16) + 5 * chance(syllable, 17));
  const swell = Math.sin(Math.PI * Math.min(1, 0.15 + part)) ** 0.5;
  for (let harmonic = 1; harmonic <= 10; harmonic++) {
    const hz = harmonic * pitchHz;
    const first = 1 / (1 + ((hz - formantHz) / 110) ** 2);
    const second = 0.35 / (1 + ((hz - 3.1 * formantHz) / 160) ** 2);
    addTone(samples, seconds, rateHz, hz, loudness * swell * (first + second + 0.02));
  }
}

/** Something loud now and then: an alarm, a shout, a door, a vacuum cleaner. Most hours have one. */
export function addEvent(samples: Float32Array, seconds: number, rateHz: number): void {
  const slot = Math.floor(seconds / 4800);
  const begin = slot * 4800 + 300 + 4000 * chance(slot, 20);
  const length = 3 + 25 * chance(slot, 21) ** 3;
  const age = seconds - begin;
  if (age < 0 || age > length || chance(slot, 22) < 0.2) return;
  const amplitude = amplitudeOf(-6 + 4 * chance(slot, 23) - 4 * (age / length));
  const kind = chance(slot, 24);
  if (kind < 0.4) {
    if (age % 1 < 0.7) addTone(samples, seconds, rateHz, 1800 + 1300 * chance(slot, 25), amplitude);
  } else if (kind < 0.7) {
    const pitchHz = 330 + 160 * chance(slot, 25) + 40 * Math.sin(5 * age);
    for (let n = 1; n <= 5; n++) addTone(samples, seconds, rateHz, n * pitchHz, (0.75 * amplitude) / n);
  } else {
    let state = Math.floor(seconds * 1000) | 0;
    for (let i = 0; i < samples.length; i++) {
      state = (Math.imul(state, 1664525) + 1013904223) | 0;
      const tone = Math.sin(2 * Math.PI * 240 * (i / rateHz));
      samples[i] = (samples[i] as number) + amplitude * (0.55 * tone + 0.45 * (state / 2 ** 31));
    }
  }
}

/** Adds a sine whose phase follows the clock, so that neighbouring windows join. */
function addTone(
  samples: Float32Array,
  seconds: number,
  rateHz: number,
  hz: number,
  amplitude: number,
): void {
  const step = (2 * Math.PI * hz) / rateHz;
  const start = 2 * Math.PI * ((hz * (seconds % 3600)) % 1);
  const turn = 2 * Math.cos(step);
  let before = amplitude * Math.sin(start - step);
  let now = amplitude * Math.sin(start);
  for (let i = 0; i < samples.length; i++) {
    samples[i] = (samples[i] as number) + now;
    [before, now] = [now, turn * now - before];
  }
}
