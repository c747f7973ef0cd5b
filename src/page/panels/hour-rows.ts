// Arranges hours in rows of days, by the clocks of a time zone.
import { timeZoneClock } from '../../contract/time-zone-clock.ts';

/** An hour in ms since 1970, its value for the colour (null for none), and its text. */
export interface HourCell {
  readonly from: number;
  readonly to: number;
  readonly value: number | null;
  readonly short: string;
  readonly long: string;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/**
 * @returns a row of 24 cells for each date (in ms since 1970, as if it were UTC), oldest first. An hour that clocks
 *   skip has no cell; for a repeated hour, the louder one gets the cell.
 */
export function hourRows(
  hours: readonly HourCell[],
  timeZone: string,
): { date: number; cells: (HourCell | undefined)[] }[] {
  const clock = timeZoneClock(timeZone);
  const rows = new Map<number, (HourCell | undefined)[]>();
  for (const cell of hours) {
    const shown = clock.shows(cell.from);
    const date = Math.floor(shown / DAY) * DAY;
    const hour = Math.floor((shown - date) / HOUR);
    const row = rows.get(date) ?? Array.from({ length: 24 }, () => undefined);
    const before = row[hour];
    if (!before || (cell.value ?? -Infinity) > (before.value ?? -Infinity)) row[hour] = cell;
    rows.set(date, row);
  }
  return [...rows].map(([date, cells]) => ({ date, cells }));
}
