// Defines Lday, Levening, Lnight and Lden by the totals of a day's parts.
import type { Overall } from '../contract/days.ts';
import { figuresOf, lowestLeq } from './figures.ts';
import { addUp, type Totals } from './histogram.ts';

/** How many hours the day, the evening and the night have if no clock changes. */
export type NominalHours = readonly [day: number, evening: number, night: number];

/** The penalties of the day, the evening and the night, in dB (Directive 2002/49/EC, Annex I). */
const PENALTIES_DB = [0, 5, 10] as const;

/** The day, the evening or the night of a day or of several. */
export interface PartOfDay extends Totals {
  /** How many whole minutes it has, and how many of them hold a point. */
  readonly minutes: number;
  readonly measured: number;
}

export function addUpParts(parts: readonly PartOfDay[]): PartOfDay {
  const sum = (of: (part: PartOfDay) => number) => parts.reduce((all, part) => all + of(part), 0);
  return {
    ...addUp(parts),
    minutes: sum(({ minutes }) => minutes),
    measured: sum(({ measured }) => measured),
  };
}

const measuredPercent = ({ minutes, measured }: PartOfDay) =>
  minutes > 0 ? (100 * measured) / minutes : null;

/** @param parts the totals of the day, of the evening and of the night */
export function indicatorsOf(parts: readonly PartOfDay[], nominalHours: NominalHours): Overall {
  const [day, evening, night] = parts.map(figuresOf);
  const all = addUpParts(parts);
  const { point_count, leq_db } = figuresOf(all);
  const [day_measured_percent = null, evening_measured_percent = null, night_measured_percent = null] =
    parts.map(measuredPercent);
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
    leq_low_db: lowestLeq(all),
    lday_db,
    levening_db,
    lnight_db,
    lden_db: Number.isNaN(energy) ? null : 10 * Math.log10(energy),
    day_count: day?.point_count ?? 0,
    evening_count: evening?.point_count ?? 0,
    night_count: night?.point_count ?? 0,
    day_measured_percent,
    evening_measured_percent,
    night_measured_percent,
    under_range: all.under_range,
    clipped: all.clipped,
  };
}
