// Local times in the page's zone, in the format of a `datetime-local` input.
import { timeZoneClock } from '../../contract/time-zone-clock.ts';
import { timeZone } from '../state/site.ts';

/** For example `2026-01-01T09:30:00`. */
export function shownTime(ms: number): string {
  return new Date(timeZoneClock(timeZone()).shows(ms)).toISOString().slice(0, 19);
}

/** @returns milliseconds since 1970; the first occurrence of a repeated time; NaN if the text is not a time */
export function timeAtClocks(text: string): number {
  const shown = Date.parse(`${text}Z`);
  return Number.isNaN(shown) ? shown : timeZoneClock(timeZone()).firstAt(shown);
}
