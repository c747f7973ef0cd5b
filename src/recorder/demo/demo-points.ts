// Makes up the sound of a courtyard: a table of its sources, and the function that adds them up. The same time on its
// clocks always gives the same point.
import { instantOf } from '../../contract/instant.ts';
import { FLOOR_DB } from '../../contract/level-unit.ts';
import type { Point } from '../../contract/point.ts';
import type { TimeZoneClock } from '../../contract/time-zone-clock.ts';

export const INTERVAL_MS = 1000;
/** The sound pressure level of a stored 0, in dB(A). So the demo's levels reach from 30 to 80. */
export const FULL_SCALE_DB = 80;
const SILENCE_DB = 34;
const DAY_S = 86_400;

/** The weekdays, beginning with that of 1 January 1970. */
const WEEK = ['Thu', 'Fri', 'Sat', 'Sun', 'Mon', 'Tue', 'Wed'] as const;
type Days = readonly (typeof WEEK)[number][];
const WEEKEND: Days = ['Sat', 'Sun'];
const WORKDAYS: Days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'];

interface Source {
  /** The days on which it begins; every day by default. */
  readonly days?: Days;
  /** When it begins and ends, in hours on the clocks. Hours from 24 are those of the next day. */
  readonly from: number;
  readonly to: number;
  /** There is one sound in each stretch of so many seconds. By default there is one from begin to end. */
  readonly every?: number;
  /** The shortest and longest sound, in seconds. By default a sound fills its stretch. */
  readonly length?: readonly [number, number];
  /** The share of stretches that have a sound, by hour of the day; all by default. */
  readonly share?: readonly number[];
  /** The level, in dB(A), and how much the levels of sounds differ from it. */
  readonly db: number;
  readonly spread?: number;
  /** Whether it passes by: its level rises and falls by 15 dB. */
  readonly passes?: boolean;
  readonly hz: readonly number[];
}

/** By hour of the day. */
const BACKGROUND_DB = [
  37, 36, 35, 34, 34, 36, 39, 42, 43, 43, 43, 43, 43, 43, 43, 43, 43, 43, 43, 42, 41, 40, 39, 38,
];
const CARS_AN_HOUR = [
  8, 5, 3, 2, 4, 8, 30, 75, 90, 75, 65, 65, 70, 70, 65, 70, 80, 90, 85, 70, 60, 60, 22, 14,
];

const cars = (days: Days, factor: number): Source => ({
  ...{ days, from: 0, to: 24, db: 47, spread: 2, passes: true, hz: [250, 315, 400, 500, 630, 800, 1250] },
  ...{ every: 40, length: [14, 24], share: CARS_AN_HOUR.map((count) => (factor * count * 40) / 3600) },
});
const bus = { from: 5.5, to: 23.75, length: [18, 18], db: 57, passes: true, hz: [160, 200, 250] } as const;
const bells = { db: 60, hz: [630, 1600] } as const;
const pupils = { days: WORKDAYS, every: 7, length: [4, 4], db: 55, hz: [1600, 2000, 2500] } as const;
const builders: Omit<Source, 'from' | 'to'> = {
  ...{ days: WORKDAYS.slice(0, 4), every: 310, length: [25, 75], db: 63, spread: 4, hz: [1000, 1250, 2000] },
};
const cooling = { spread: 0.3, hz: [160] } as const;

const SOURCES: readonly Source[] = [
  cars(WORKDAYS, 1),
  cars(WEEKEND, 0.6),
  { ...bus, days: WORKDAYS, every: 900 },
  { ...bus, days: WEEKEND, every: 1800 },
  // birds
  { from: 6.17, to: 7.67, every: 8, length: [2, 4], db: 42, spread: 2, hz: [3150, 4000] },
  { ...bells, from: 7, to: 7.05 },
  { ...bells, from: 12, to: 12.05 },
  { ...bells, from: 18, to: 18.05 },
  { ...bells, days: ['Sun'], from: 9.75, to: 9.95, db: 65 },
  { ...pupils, from: 9.75, to: 10.08 },
  { ...pupils, from: 12.08, to: 12.67 },
  { ...builders, from: 7, to: 9.5 },
  { ...builders, from: 10.2, to: 12 },
  { ...builders, from: 13, to: 15.75 },
  // a rubbish lorry; a leaf blower, which brings the day over its limit
  { days: ['Tue', 'Fri'], from: 6.17, to: 6.285, db: 66, hz: [200, 250, 315] },
  { days: ['Wed'], from: 8.5, to: 8.917, db: 69, hz: [200, 250] },
  // aircraft; a siren
  { from: 7, to: 22, every: 9000, length: [40, 40], db: 59, spread: 2, passes: true, hz: [250, 315, 400] },
  { from: 8, to: 21, length: [28, 28], share: Array(24).fill(0.8), db: 72, passes: true, hz: [800, 1250] },
  // a cooling unit, and the nights when it is stuck
  { ...cooling, from: 0, to: 24, every: 2400, length: [720, 720], db: 41.5 },
  { ...cooling, days: ['Mon'], from: 1.167, to: 2.417, db: 47 },
  { ...cooling, days: ['Thu'], from: 3, to: 4.667, db: 46.5 },
  { ...cooling, days: ['Sat'], from: 2.5, to: 3.25, db: 52.6 },
  // a bar, and its guests when they leave
  { days: ['Fri', 'Sat'], from: 20, to: 25.5, every: 300, db: 50.8, spread: 0.8, hz: [100, 125] },
  { days: ['Fri', 'Sat'], from: 25.5, to: 25.95, every: 12, length: [4, 8], db: 58, hz: [630, 800, 1000] },
  // an early delivery; a drill; hail; a fan; a dog
  { days: ['Mon', 'Sat'], from: 4.833, to: 4.933, db: 57, hz: [100, 125, 1250] },
  { days: ['Tue'], from: 20.5, to: 20.65, db: 62, hz: [2000] },
  { days: ['Sun'], from: 3, to: 3.667, db: 55, hz: [4000] },
  { days: ['Wed'], from: 23.167, to: 24.083, db: 45, hz: [315] },
  { days: ['Thu'], from: 22.667, to: 22.767, every: 9, length: [2, 5], db: 62, hz: [500, 630, 800] },
];

export const HAIL_MS = 40 * 60_000;

/** Tells what happens at an instant: whether hail begins, whether the recorder fails, and the point otherwise. */
export function courtyard(clock: TimeZoneClock) {
  return (epochMs: number) => {
    const shown = Math.floor(clock.shows(epochMs) / 1000);
    const day = Math.floor(shown / DAY_S);
    const hour = (shown - day * DAY_S) / 3600;
    const failsShort = weekdayOf(day) === 'Wed' && hour >= 14 + 1 / 6 && hour < 15 + 5 / 12;
    const failsLong = day % 14 === 0 && hour >= 9 && hour < 21.5; // every second Thursday
    return {
      isHailBegin: weekdayOf(day) === 'Sun' && hour === 3,
      isFailure: failsShort || failsLong,
      point: () => pointAt(epochMs, shown),
    };
  };
}

const weekdayOf = (day: number) => WEEK[((day % 7) + 7) % 7] ?? 'Thu';

/** @param shown what the clocks show, in seconds since 1970 */
function pointAt(epochMs: number, shown: number): Point {
  const day = Math.floor(shown / DAY_S);
  const sounds = SOURCES.map((source, row) => {
    return sound(source, row, shown, day) ?? sound(source, row, shown, day - 1);
  }).filter((one) => one !== undefined);
  const heard = [background(shown), ...sounds];
  const power = heard.reduce((sum, { db }) => sum + 10 ** (db / 10), 0);
  const db = 10 * Math.log10(power) + 0.6 * chance(shown, 90) - 0.3;
  const loudest = heard.reduce((most, each) => (each.db > most.db ? each : most));
  const is_silence = db < SILENCE_DB;
  return {
    time: instantOf(epochMs),
    rms_db: Math.min(0, Math.max(FLOOR_DB, Math.round(100 * (db - FULL_SCALE_DB)) / 100)),
    frequency_hz: is_silence
      ? null
      : (loudest.hz[Math.floor(loudest.hz.length * chance(shown >> 1, 91))] ?? null),
    is_silence,
  };
}

function background(shown: number): Pick<Source, 'db' | 'hz'> {
  const byHour = glide((shown / 3600) % 24, (hour) => BACKGROUND_DB[hour % 24] ?? 0);
  const sunday = weekdayOf(Math.floor(shown / DAY_S)) === 'Sun' ? -1 : 0;
  const swing =
    2 * glide(shown / 420, (slot) => chance(slot, 92)) + glide(shown / 9, (slot) => chance(slot, 93));
  return { db: byHour + sunday + swing - 1.5, hz: [125, 160] };
}

/** @returns the sound of a source that began on a day, undefined if there is none */
function sound(source: Source, row: number, shown: number, day: number) {
  const since = shown - day * DAY_S - source.from * 3600;
  const lasts = (source.to - source.from) * 3600;
  if (since < 0 || since >= lasts || source.days?.includes(weekdayOf(day)) === false) return;
  const stretch = source.every ?? lasts;
  const begin = Math.floor(since / stretch) * stretch;
  const id = Math.floor(day * DAY_S + source.from * 3600 + begin);
  const share = source.share?.[Math.floor(source.from + begin / 3600) % 24] ?? 1;
  if (chance(id, row) >= share) return;
  const [shortest, longest] = source.length ?? [stretch, stretch];
  const length = shortest + (longest - shortest) * chance(id, row + 100);
  const age = since - begin - (stretch - length) * chance(id, row + 200);
  if (age < 0 || age >= length) return;
  const level = source.db + (source.spread ?? 0) * (2 * chance(id, row + 300) - 1);
  return { db: source.passes ? level - 15 * ((2 * age) / length - 1) ** 2 : level, hz: source.hz };
}

/** Pseudo-random, 0..1. The same arguments always give the same number. */
function chance(slot: number, salt: number): number {
  let h = Math.imul(slot | 0, 0x9e3779b1) ^ Math.imul(salt + 1, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
}

/** Interpolates between the values of whole numbers. */
function glide(at: number, level: (whole: number) => number): number {
  const [last, next] = [level(Math.floor(at)), level(Math.floor(at) + 1)];
  return last + (next - last) * (at - Math.floor(at));
}
