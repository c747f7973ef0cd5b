// The microphone's site in the service's last answer: time zone, limits and recording periods. Also the zone on screen.
import type { Outputs } from '../../client/index.ts';
import type { Limit } from '../../contract/limits.ts';
import { minuteOfDay } from '../../contract/minute-of-day.ts';
import type { NightTimes } from './calendar-intervals.ts';
import type { TimeSpan } from './time-span.ts';
import { currentView } from './view-in-address.ts';

/** The answer of `service.info`, without the field that always changes. */
export type Info = Omit<Outputs['service']['info'], 'newest_age_seconds'>;

export const BROWSER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The night of Directive 2002/49/EC. */
const USUAL_NIGHT: NightTimes = { start: 23 * 60, end: 7 * 60 };

type Recording = Pick<Info, 'periods' | 'calibration_offset_db'>;

let zone: string | undefined;
let night = USUAL_NIGHT;
let recording: Recording = { periods: [], calibration_offset_db: null };

/** Stores the answer of `service.info`. */
export function setSite(info: Recording & Pick<Info, 'time_zone' | 'limits'>): void {
  zone = info.time_zone;
  night = nightOf(info.limits);
  recording = info;
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
