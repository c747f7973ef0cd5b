// Answers the noise indicators of local days: Lday, Levening, Lnight and Lden.
import type { Day, Overall } from '../../contract/days.ts';
import type { Interval } from '../../contract/instant.ts';
import { indicatorsOf, type NominalHours } from '../../statistics/noise-indicators.ts';
import { addUpBounded } from '../../statistics/totals.ts';
import type { Store } from '../../store/store.ts';
import { totalsBetween } from './totals-between.ts';

/** A day: the starts of its day, its evening and its night, and the end of its night, as canonical instants. */
export interface LocalDay {
  readonly date: string;
  readonly starts: readonly [day: string, evening: string, night: string, end: string];
}

/**
 * @param localDays the days that the interval touches, in order
 * @returns the indicators of each day, and of all points of the interval
 */
export async function days(
  store: Store,
  interval: Interval,
  localDays: readonly LocalDay[],
  nominalHours: NominalHours,
): Promise<{ days: Day[]; overall: Overall }> {
  const cuts = [...localDays.flatMap(({ starts }) => starts.slice(0, 3)), localDays.at(-1)?.starts[3] ?? ''];
  const totals = await totalsBetween(store, interval, cuts);
  const partOf = (place: number) => totals.filter((_, at) => at % 3 === place);
  return {
    days: localDays.map(({ date, starts: [from, , , to] }, place) => ({
      date,
      from,
      to,
      ...indicatorsOf(totals.slice(3 * place, 3 * place + 3), nominalHours),
    })),
    overall: indicatorsOf(
      [addUpBounded(partOf(0)), addUpBounded(partOf(1)), addUpBounded(partOf(2))],
      nominalHours,
    ),
  };
}
