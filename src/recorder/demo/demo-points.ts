// Makes up the points of a day: a quiet night, talk by day, loud moments, lulls and a clock. A time always gives the
// same point.
import { instantOf } from '../../contract/instant.ts';
import { FLOOR_DB } from '../../contract/level-unit.ts';
import type { Point } from '../../contract/point.ts';

export const INTERVAL_MS = 500;
const SILENCE_DB = -45;
/** How far the strongest frequency of noise lies below its level, because noise has many frequencies. */
const SPREAD_DB = 15;

/** One of the sounds at a moment: its level relative to full scale, and its strongest frequency. */
interface Heard {
  readonly db: number;
  readonly hz: number;
  readonly isNoise?: boolean;
}

/** How lively each hour of the day is, 0 to 1, on this machine's clock. */
const LIVELINESS = [
  0.04, 0.02, 0.01, 0, 0, 0.05, 0.2, 0.45, 0.5, 0.7, 0.75, 0.6, 0.8, 0.65, 0.7, 0.75, 0.6, 0.65, 0.8, 0.7,
  0.5, 0.35, 0.2, 0.1,
];
/** The harmonics at the first formants of five vowels. */
const VOWELS = [2, 3, 4, 5, 6];
/** The notes of a tower clock at each quarter hour, in Hz. */
const CHIME = [659, 523, 587, 392];

/** @param epochMs milliseconds since 1970 */
export function pointAt(epochMs: number): Point {
  const seconds = epochMs / 1000;
  const liveliness = livelinessAt(epochMs);
  const around = isHush(seconds, liveliness)
    ? [noise(seconds, -58 + 11 * wander(seconds, 5, 33))]
    : [...room(seconds, liveliness), ...talk(seconds, liveliness)];
  const heard = [...around, ...clock(seconds), ...event(seconds, liveliness)];
  const power = heard.reduce((sum, { db }) => sum + 10 ** (db / 10), 0);
  const db = Math.round(1000 * Math.log10(power)) / 100;
  const is_silence = db < SILENCE_DB;
  const strongest = heard.reduce((most, each) => (toneDb(each) > toneDb(most) ? each : most));
  return {
    time: instantOf(epochMs),
    rms_db: Math.min(0, Math.max(FLOOR_DB, db)),
    frequency_hz: is_silence ? null : Math.round(strongest.hz),
    is_silence,
  };
}

const toneDb = ({ db, isNoise }: Heard) => (isNoise ? db - SPREAD_DB : db);

/** Interpolates the table above linearly, from the middle of one hour to the middle of the next. */
function livelinessAt(epochMs: number): number {
  const local = epochMs / 1000 - 60 * new Date(epochMs).getTimezoneOffset();
  const hour = (((local / 3600 - 0.5) % 24) + 24) % 24;
  const before = LIVELINESS[Math.floor(hour)] ?? 0;
  const after = LIVELINESS[(Math.floor(hour) + 1) % 24] ?? 0;
  return before + (after - before) * (hour % 1);
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

/** Dull, like a street heard through a window. It flutters by 2 dB. */
function noise(seconds: number, db: number): Heard {
  const slot = Math.floor(seconds * 10);
  return { db: db + 2 * chance(slot, 40) - 1, hz: 100 + 700 * chance(slot, 41) ** 2, isNoise: true };
}

/** True during a hush: 4 to 24 s of silence now and then, more often at night. */
function isHush(seconds: number, liveliness: number): boolean {
  const slot = Math.floor(seconds / 90);
  const age = seconds - slot * 90 - 60 * chance(slot, 30);
  return age >= 0 && age < 4 + 20 * chance(slot, 31) && chance(slot, 32) < 0.85 - 0.75 * liveliness;
}

/** Soft noise whose level follows the day, and the hum of a machine that comes and goes. */
function room(seconds: number, liveliness: number): Heard[] {
  const db = -44 + 9 * liveliness ** 0.5 + 4 * wander(seconds, 420, 1) + 3 * wander(seconds, 9, 2);
  const machine = wander(seconds, 2400, 3);
  const hum = machine > 0.6 ? [{ db: -46 + 25 * (machine - 0.6), hz: 148 }] : [];
  return [noise(seconds, db), ...hum];
}

/** Two people talking in turns: syllables of vowels, with pauses. */
function talk(seconds: number, liveliness: number): Heard[] {
  const turn = Math.floor(seconds / 4.5);
  const syllable = Math.floor(seconds / 0.22);
  const isPause = chance(turn, 11) < 0.25 || chance(syllable, 13) < 0.22;
  if (isPause || chance(Math.floor(seconds / 90), 10) > liveliness) return [];
  const speakerHz = chance(turn, 12) < 0.5 ? 112 : 205;
  const pitchHz = speakerHz * (0.9 + 0.25 * chance(syllable, 14));
  const harmonic = VOWELS[Math.floor(VOWELS.length * chance(syllable, 15))] ?? 1;
  const part = seconds / 0.22 - syllable;
  const db = -32 + 10 * wander(seconds, 45, 16) + 5 * chance(syllable, 17) - 6 * part;
  return [{ db, hz: harmonic * pitchHz }];
}

/** A tower clock: four notes each quarter hour. */
function clock(seconds: number): Heard[] {
  const age = seconds % 900;
  const hz = CHIME[Math.floor(age / 1.5)];
  return hz === undefined ? [] : [{ db: -20 - 8 * (age % 1.5), hz }];
}

/** Something loud now and then: an alarm, a shout, a vacuum cleaner. Several per hour by day, about one at night. */
function event(seconds: number, liveliness: number): Heard[] {
  const slot = Math.floor(seconds / 480);
  const length = 2 + 25 * chance(slot, 21) ** 2;
  const age = seconds - slot * 480 - 440 * chance(slot, 20);
  if (age < 0 || age > length || chance(slot, 22) > 0.15 + 0.8 * liveliness) return [];
  const db = -9 + 4 * chance(slot, 23) - 3 * (age / length);
  const kind = chance(slot, 24);
  const pitch = chance(slot, 25);
  if (kind < 0.4) return [{ db, hz: (age % 1 < 0.5 ? 1800 : 2300) + 800 * pitch }];
  if (kind < 0.7) return [{ db, hz: 330 + 160 * pitch + 40 * Math.sin(5 * age) }];
  return [{ db: db - 2, hz: 200 + 90 * pitch }, noise(seconds, db - 4)];
}
