// The site of the microphone: its time zone, its limits and when they apply, and the scale of its levels.
import type { Outputs } from '../../client/index.ts';
import { FLOOR_DB, unitOf } from '../../contract/level-unit.ts';
import type { Limit } from '../../contract/limits.ts';
import { minuteOfDay } from '../../contract/minute-of-day.ts';
import type { LevelScale } from '../../contract/periods.ts';
import { timeZoneClock } from '../../contract/time-zone-clock.ts';
import { texts } from '../texts/texts.ts';
import { DAY_MS, MINUTE_MS, type NightTimes, type TimeSpan } from './calendar-intervals.ts';
import { currentView } from './view-in-address.ts';

/** The distance between the lowest and the highest level that can be stored, dB. */
export const RANGE_DB = -FLOOR_DB;

export interface Scale {
  readonly unit: string;
  /** The lowest level that can be stored: the true level may have been lower. */
  readonly floor: number;
  /** Whether levels are sound pressure levels, which can be compared with a limit. */
  readonly isAbsolute: boolean;
  /** Whether the energy mean of the levels is that of the sound. False for maxima of long windows. */
  readonly hasEnergy: boolean;
  /** The name of an interval's level: Leq, or the name of its maximum if there is no Leq. */
  readonly level: string;
  /** The name of the highest level, such as LAFmax, or a plain word if levels are not maxima. */
  readonly maximum: string;
}

/** @param stated the scale in an answer; undefined while there is none */
export function scaleIn(stated: LevelScale | null | undefined): Scale {
  if (!stated) return { ...NOT_KNOWN, maximum: texts.figures.maximum };
  const isAbsolute = stated.levels === 'absolute';
  const maximum = nameOfMaximum(stated);
  return {
    // levels stored with a reference have their unit only once the reference is added
    unit: (isAbsolute || stated.unit === 'dBFS' ? stated.unit : null) ?? 'dB',
    floor: stated.floor_db,
    isAbsolute,
    hasEnergy: !stated.energy_unavailable,
    level: stated.energy_unavailable ? maximum : 'Leq',
    maximum,
  };
}

const NOT_KNOWN = { unit: '', floor: FLOOR_DB, isAbsolute: false, hasEnergy: true, level: 'Leq' };

/** The scale of the level now. */
export function scaleNow(info: Pick<Info, 'periods' | 'calibration_offset_db'>, now: number): Scale {
  const { weighting = null } = periodIn({ to: now }, info) ?? {};
  const offset = offsetIn({ to: now }, info);
  return {
    ...scaleIn(undefined),
    unit: unitOf({ weighting, reference_db: offset }),
    floor: FLOOR_DB + (offset ?? 0),
    isAbsolute: offset !== null,
  };
}

const LETTERS = { fast: 'F', slow: 'S' } as const;

function nameOfMaximum({ statistic, weighting, time_weighting }: LevelScale): string {
  if (statistic !== 'max') return texts.figures.maximum;
  return `L${weighting ?? ''}${time_weighting === null ? '' : LETTERS[time_weighting]}max`;
}

/** The level of an interval: Leq, or its maximum if there is no Leq. */
export const levelOf = (
  { leq_db, max_db }: { readonly leq_db: number | null; readonly max_db: number | null },
  { hasEnergy }: Scale,
) => (hasEnergy ? leq_db : max_db);

/** The answer of `service.info`, without the field that always changes. */
export type Info = Omit<Outputs['service']['info'], 'newest_age_seconds'>;

/** The microphone's site in the service's last answer: time zone, limits and recording periods. Also the zone on screen. */
export const BROWSER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The night of Directive 2002/49/EC. */
const USUAL_NIGHT: NightTimes = { start: 23 * 60, end: 7 * 60 };

type Recording = Pick<Info, 'periods' | 'calibration_offset_db'>;

let zone: string | undefined;
let night = USUAL_NIGHT;
let recording: Recording = { periods: [], calibration_offset_db: null };

let pointsSince: string | null = null;

export function setSite(info: Recording & Pick<Info, 'time_zone' | 'limits' | 'points_since'>): void {
  zone = info.time_zone;
  pointsSince = info.points_since;
  night = nightOf(info.limits);
  recording = info;
}

/** Since when there are points, for an answer that reaches into history; undefined for others. */
export function pointsSinceIn(of: { readonly to: string; readonly history_until?: string } | undefined) {
  const { history_until, to } = of ?? {};
  return history_until && history_until === to ? (pointsSince ?? to) : history_until;
}

/** The newest period that begins before an interval ends. */
export const periodIn = ({ to }: Pick<TimeSpan, 'to'>, { periods }: Recording = recording) =>
  periods.find(({ since }) => Date.parse(since) < to);

/** The offset in dB that makes stored levels of an interval's newest period absolute; null without a calibration. */
export function offsetIn(interval: Pick<TimeSpan, 'to'>, of: Recording = recording): number | null {
  return periodIn(interval, of)?.reference_db ?? of.calibration_offset_db;
}

/** The time of the limit that covers midnight, or else of the day's last limit. */
export function nightOf(limits: readonly Limit[]): NightTimes {
  const times = limits.map(({ start, end }) => ({ start: minuteOfDay(start), end: minuteOfDay(end) }));
  return times.find(({ start, end }) => start === 0 || end <= start) ?? times.at(-1) ?? USUAL_NIGHT;
}

export const siteNight = () => night;

/** The zone of the service; the browser's while unknown. */
export const serviceZone = () => zone ?? BROWSER_ZONE;

/** The zone in the address, or else that of the service. */
export const timeZone = () => currentView().view.timeZone ?? serviceZone();

/** A limit from one time to another, in milliseconds since 1970. */
export interface LimitStep extends TimeSpan {
  readonly db: number;
}

/** @returns the limits that apply in an interval, in order of time, in dB on their own scales */
export function limitSteps(limits: readonly Limit[], { from, to }: TimeSpan, timeZone: string): LimitStep[] {
  const steps = limits.flatMap((limit) => {
    const times = { start: minuteOfDay(limit.start), end: minuteOfDay(limit.end) };
    return spansOfDays(times, { from, to }, timeZone).map((span) => ({ ...span, db: limit.limit_db }));
  });
  return steps.sort((a, b) => a.from - b.from);
}

/** @returns the spans between two times of day, as far as they lie in an interval */
export function spansOfDays(
  { start, end }: NightTimes,
  { from, to }: TimeSpan,
  timeZone: string,
): TimeSpan[] {
  const clock = timeZoneClock(timeZone);
  const first = Math.floor(clock.shows(from) / DAY_MS) - 1;
  const last = Math.floor(clock.shows(to) / DAY_MS);
  const next = end > start ? 0 : DAY_MS;
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * DAY_MS)
    .map((date) => ({
      from: Math.max(clock.firstAt(date + start * MINUTE_MS), from),
      to: Math.min(clock.firstAt(date + next + end * MINUTE_MS), to),
    }))
    .filter((span) => span.from < span.to);
}
