// The scale of the levels on screen, as their answer states it: unit, lowest level, and what levels are called.
import { FLOOR_DB, unitOf } from '../../contract/level-unit.ts';
import type { LevelScale } from '../../contract/periods.ts';
import { texts } from '../texts/texts.ts';
import { type Info, offsetIn, periodIn } from './place.ts';

/** How far apart the lowest and the highest level are that can be stored, dB. */
export const RANGE_DB = -FLOOR_DB;

export interface Scale {
  readonly unit: string;
  /** The lowest level that can be stored: a level there may have been lower. */
  readonly floor: number;
  /** Whether levels are sound pressure levels, which compare with a limit. */
  readonly isAbsolute: boolean;
  /** Whether levels have an energy mean that is one of the sound. Maxima of long windows have none. */
  readonly hasEnergy: boolean;
  /** What the level of a stretch is called: Leq, or the name of its maximum if there is no Leq. */
  readonly level: string;
  /** What the highest level is called, such as LAFmax: a plain word if levels are not maxima. */
  readonly maximum: string;
}

/** @param told by an answer; undefined while there is none */
export function scaleIn(told: LevelScale | null | undefined): Scale {
  if (!told) return { ...NOT_KNOWN, maximum: texts.figures.maximum };
  const isAbsolute = told.levels === 'absolute';
  const maximum = nameOfMaximum(told);
  return {
    // what is stored with a reference has its unit only with that added
    unit: (isAbsolute || told.unit === 'dBFS' ? told.unit : null) ?? 'dB',
    floor: told.floor_db,
    isAbsolute,
    hasEnergy: !told.energy_unavailable,
    level: told.energy_unavailable ? maximum : 'Leq',
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

/** The level of a stretch: Leq, or its maximum if there is no Leq. */
export const levelOf = (
  { leq_db, max_db }: { readonly leq_db: number | null; readonly max_db: number | null },
  { hasEnergy }: Scale,
) => (hasEnergy ? leq_db : max_db);

/** Whether levels of two answers compare. */
export const doCompare = (a: LevelScale, b: LevelScale) =>
  a.levels === b.levels && a.unit === b.unit && a.energy_unavailable === b.energy_unavailable;
