// Answers the noise indicators of local days: Lday, Levening, Lnight and Lden.

import type { Day, Overall } from '../../contract/days.ts';
import type { Interval } from '../../contract/instant.ts';
import { figuresOf } from '../../statistics/figures.ts';
import { addUp, type Totals } from '../../statistics/totals.ts';
import type { Store } from '../../store/rollups-in-use.ts';
import { totalsBetween } from './totals-between.ts';

/** A day: the starts of its day, its evening and its night, and the end of its night, as canonical instants. */
export interface LocalDay {
  readonly date: string;
  readonly starts: readonly [day: string, evening: string, night: string, end: string];
}

/** How many hours the day, the evening and the night have if no clock changes. */
type NominalHours = readonly [day: number, evening: number, night: number];

/** The penalties of the day, the evening and the night, in dB (Directive 2002/49/EC, Annex I). */
const PENALTIES_DB = [0, 5, 10] as const;

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
      ...indicators(totals.slice(3 * place, 3 * place + 3), nominalHours),
    })),
    overall: indicators([addUp(partOf(0)), addUp(partOf(1)), addUp(partOf(2))], nominalHours),
  };
}

/** @param parts the totals of the day, of the evening and of the night */
function indicators(parts: readonly Totals[], nominalHours: NominalHours): Overall {
  const [day, evening, night] = parts.map(figuresOf);
  const { point_count, leq_db } = figuresOf(addUp(parts));
  const levels = [day?.leq_db ?? null, evening?.leq_db ?? null, night?.leq_db ?? null];
  const [lday_db = null, levening_db = null, lnight_db = null] = levels;
  const energies = levels.map((level, place) =>
    level === null
      ? Number.NaN
      : (nominalHours[place] ?? 0) * 10 ** ((level + (PENALTIES_DB[place] ?? 0)) / 10),
  );
  const energy = energies.reduce((sum, each) => sum + each, 0) / 24;
  return {
    point_count,
    leq_db,
    lday_db,
    levening_db,
    lnight_db,
    lden_db: Number.isNaN(energy) ? null : 10 * Math.log10(energy),
    day_count: day?.point_count ?? 0,
    evening_count: evening?.point_count ?? 0,
    night_count: night?.point_count ?? 0,
  };
}
