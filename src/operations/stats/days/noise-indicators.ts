// Defines Lday, Levening, Lnight and Lden from the totals of a day's parts.
import { figuresOf, lowestLeq } from '../../../rollups/figures.ts';
import { addUp, type Totals } from '../../../rollups/histogram.ts';
import { type Overload, overloadPercent } from '../../../rollups/overload.ts';
import type { EventCount } from '../../events/list/contract.ts';
import { EVENING_PENALTY_DB, NIGHT_PENALTY_DB, type Overall } from './contract.ts';
import type { Minutes } from './minutes-between.ts';

/** How a day is rated by the levels of its day, evening and night. */
export interface Rating {
  /** The hours of each part on a day without a clock change; 0 if there is no evening. */
  readonly nominalHours: readonly [day: number, evening: number, night: number];
  /** The penalty added to the level of each part, dB. */
  readonly penaltiesDb: readonly [day: number, evening: number, night: number];
  /** From stored levels to the scale of limits; null if the levels are not calibrated. */
  readonly offset_db: number | null;
}

/** Whether the rating is that of Directive 2002/49/EC, Annex I: three parts, and these penalties. */
const isOfDirective = ({ nominalHours: [, evening], penaltiesDb }: Rating) =>
  evening > 0 && penaltiesDb[1] === EVENING_PENALTY_DB && penaltiesDb[2] === NIGHT_PENALTY_DB;

/** The day, evening or night of one day or of several. */
export interface PartOfDay extends Totals, Minutes {
  /** How many of the minutes hold a point. */
  readonly measured: number;
  readonly overload: readonly Overload[];
}

export function addUpParts(parts: readonly PartOfDay[]): PartOfDay {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const sum = (of: (part: PartOfDay) => number) => parts.reduce((all, part) => all + of(part), 0);
  return {
    ...addUp(parts),
    nominal: sum(({ nominal }) => nominal),
    minutes: sum(({ minutes }) => minutes),
    measured: sum(({ measured }) => measured),
    overload: parts.flatMap(({ overload }) => overload),
  };
}

/** The sum of the same part of several days. In its mean energy, each day counts equally, however many points it has. */
function averageParts(parts: readonly PartOfDay[]): PartOfDay {
  const sum = addUpParts(parts);
  const measured = parts.filter(({ level_count }) => level_count > 0);
  const evenly = (of: 'power_sum' | 'above_power_sum') =>
    measured.reduce((all, part) => all + part[of] / part.level_count, 0) *
    (sum.level_count / Math.max(measured.length, 1));
  return { ...sum, power_sum: evenly('power_sum'), above_power_sum: evenly('above_power_sum') };
}

/** @param days the parts of whole days. @returns the indicators of their mean, as for an average year */
export const averageIndicators = (days: readonly (readonly PartOfDay[])[], rating: Rating) =>
  indicatorsOf(
    [0, 1, 2].map((part) => averageParts(days.flatMap((parts) => parts[part] ?? []))),
    rating,
    averageParts(days.map(addUpParts)),
  );

/**
 * @param parts the totals of day, evening and night
 * @param of the minutes of which the measured share is stated
 * @returns stored levels, except for rated levels
 */
export function indicatorsOf(
  parts: readonly PartOfDay[],
  rating: Rating,
  all = addUpParts(parts),
  of: keyof Minutes = 'minutes',
): Omit<Overall, keyof EventCount> {
  const [day, evening, night] = parts.map(figuresOf);
  const [lday_low_db = null, levening_low_db = null, lnight_low_db = null] = parts.map(lowestLeq);
  const { point_count, leq_db } = figuresOf(all);
  const [day_measured_percent = null, evening_measured_percent = null, night_measured_percent = null] =
    parts.map(({ [of]: minutes, measured }) => (minutes > 0 ? (100 * measured) / minutes : null));
  const levels = [day?.leq_db ?? null, evening?.leq_db ?? null, night?.leq_db ?? null];
  const [lday_db = null, levening_db = null, lnight_db = null] = levels;
  const rated = ratedLevel(levels, rating);
  const lowest = [lday_low_db, levening_low_db, lnight_low_db].map((low) => low ?? Number.NEGATIVE_INFINITY);
  const rated_low = rated === null ? null : finite(ratedLevel(lowest, rating));
  const shifted = (level: number | null) =>
    level === null || rating.offset_db === null ? null : level + rating.offset_db;
  return {
    point_count,
    leq_db,
    leq_low_db: lowestLeq(all),
    lday_db,
    levening_db,
    lnight_db,
    lden_db: isOfDirective(rating) ? rated : null,
    rated_db: shifted(rated),
    lday_low_db,
    levening_low_db,
    lnight_low_db,
    lden_low_db: isOfDirective(rating) ? rated_low : null,
    rated_low_db: shifted(rated_low),
    day_count: day?.point_count ?? 0,
    evening_count: evening?.point_count ?? 0,
    night_count: night?.point_count ?? 0,
    day_measured_percent,
    evening_measured_percent,
    night_measured_percent,
    under_range: all.under_range,
    over_range: all.over_range,
    overload_percent: overloadPercent(all.overload),
  };
}

/** No energy has no level. */
const finite = (level: number | null) => (Number.isFinite(level) ? level : null);

/** @returns the mean energy of the parts with their penalties, weighted by nominal hours; null if one has no level */
function ratedLevel(levels: readonly (number | null)[], { nominalHours, penaltiesDb }: Rating) {
  let energy = 0;
  for (const [part, hours] of nominalHours.entries()) {
    const level = levels[part] ?? null;
    if (hours === 0) continue;
    if (level === null) return null;
    energy += (hours / 24) * 10 ** ((level + (penaltiesDb[part] ?? 0)) / 10);
  }
  return 10 * Math.log10(energy);
}
