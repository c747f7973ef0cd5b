// The scale of the levels on screen, as stated in their answer: unit, lowest level, and the names of levels.
import { FLOOR_DB, unitOf } from '../../contract/level-unit.ts';
import type { LevelScale } from '../../contract/periods.ts';
import { texts } from '../texts/texts.ts';
import { type Info, offsetIn, periodIn } from './site.ts';

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
