// The axes of charts: the size and the texts of their labels.
import uPlot from 'uplot';
import { timeText } from '../locale-format.ts';
import { DAY_MS } from '../state/calendar-intervals.ts';
import { timeZone } from '../state/site.ts';

/** The font size relative to the usual one. It grows with the reader's font size and on large screens. */
export const fontScale = () => Number.parseFloat(getComputedStyle(document.body).fontSize) / 15;

/** The largest step between ticks, in seconds, whose labels name weekdays. */
const MOST_WEEKDAY_STEP = (14 * DAY_MS) / 1000;

/** Labels ticks with days or clock times. The first clock time and each midnight have the date below. */
export function timeTicks(_: unknown, ticks: number[]): string[] {
  const step = (ticks[1] ?? 0) - (ticks[0] ?? 0);
  return ticks.map((seconds, index) => {
    const at = uPlot.tzDate(new Date(seconds * 1000), timeZone());
    const isMidnight = at.getHours() + at.getMinutes() + at.getSeconds() === 0;
    if (step > MOST_WEEKDAY_STEP) return timeText(seconds * 1000, 'day');
    const day = timeText(seconds * 1000, 'day of week');
    if (step >= DAY_MS / 1000) return day.replace(', ', '\n');
    const clock = timeText(seconds * 1000, step < 60 ? 'seconds' : 'clock');
    return index === 0 || isMidnight ? `${clock}\n${day}` : clock;
  });
}
