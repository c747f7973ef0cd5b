// Computes the offset that turns stored levels into shown levels, and the unit of shown levels.
import { addLevels } from './level-fields.ts';
import { unitOf } from './level-unit.ts';
import type { LevelScale, Unit } from './periods.ts';

/** How to show levels: add the offset, and name the unit. */
export interface OffsetScale {
  readonly unit: Unit;
  readonly offset: number;
  /** Whether shown levels are sound pressure levels, so that limits apply to them. */
  readonly isAbsolute: boolean;
}

type Recorded = Pick<LevelScale, 'unit' | 'reference_db' | 'weighting'>;

/**
 * @param recorded the scale of an answer, or the newest period; mixed scales keep levels as stored
 * @param calibrationOffsetDb for levels that were recorded without a reference
 */
export function offsetScaleOf(
  recorded: Recorded | undefined,
  calibrationOffsetDb: number | null | undefined,
): OffsetScale {
  const { unit, reference_db, weighting } = recorded ?? { unit: 'dBFS', reference_db: 0, weighting: null };
  if (unit === null) return { unit: 'dB', offset: 0, isAbsolute: false };
  if (unit !== 'dBFS') return { unit, offset: reference_db ?? 0, isAbsolute: true };
  return calibrationOffsetDb == null
    ? { unit, offset: 0, isAbsolute: false }
    : {
        unit: unitOf({ weighting, reference_db: calibrationOffsetDb }),
        offset: calibrationOffsetDb,
        isAbsolute: true,
      };
}

/** The offset from levels to the scale of limits, dB; null if the levels are not calibrated. */
export function offsetOf(
  { unit, reference_db }: Pick<LevelScale, 'unit' | 'reference_db'>,
  calibrationOffsetDb: number | null,
): number | null {
  return unit === 'dBFS' ? calibrationOffsetDb : reference_db;
}

/** @returns the scale of the same levels plus the offset */
export const absoluteOf = (scale: LevelScale, offset_db: number): LevelScale => ({
  ...scale,
  levels: 'absolute',
  unit: unitOf({ weighting: scale.weighting, reference_db: offset_db }),
  reference_db: 0,
  floor_db: addLevels(scale.floor_db, offset_db),
});
