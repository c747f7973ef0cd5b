// The place of the microphone, as the service told it last: its zone and its limits. And the zone of what is shown.
import type { Outputs } from '../../client/index.ts';
import type { Limit } from '../../contract/limits.ts';
import { minuteOfDay } from '../../contract/minute-of-day.ts';
import type { Night } from './calendar-intervals.ts';
import { currentView } from './view-in-address.ts';

/** What `service.info` says, but what changes with each answer. */
export type Info = Omit<Outputs['service']['info'], 'newest_age_seconds'>;

export const BROWSER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The night of Directive 2002/49/EC. */
const USUAL_NIGHT: Night = { start: 23 * 60, end: 7 * 60 };

let zone: string | undefined;
let night = USUAL_NIGHT;

/** Keeps what `service.info` says. */
export function setPlace(info: { readonly time_zone: string; readonly limits: readonly Limit[] }): void {
  zone = info.time_zone;
  night = nightOf(info.limits);
}

/** When the limit applies that covers midnight, or else the last one of the day. */
export function nightOf(limits: readonly Limit[]): Night {
  const times = limits.map(({ start, end }) => ({ start: minuteOfDay(start), end: minuteOfDay(end) }));
  return times.find(({ start, end }) => start === 0 || end <= start) ?? times.at(-1) ?? USUAL_NIGHT;
}

export const placeNight = () => night;

/** The zone of the service; the browser's until it is known. */
export const serviceZone = () => zone ?? BROWSER_ZONE;

/** That of the address, else that of the service. */
export const timeZone = () => currentView().view.timeZone ?? serviceZone();
