// Turns stored levels into shown levels: the offset, the unit, and the fields that hold levels or energy means.
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

/** @param recorded mixed scales keep levels as stored. @param calibrationOffsetDb for levels without a reference */
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

/** Levels on the scale of an answer. Level differences and levels on the scale of limits do not belong here. */
export const LEVEL_FIELDS: ReadonlySet<string> = new Set([
  ...['rms_db', 'avg_db', 'max_db', 'min_db', 'peak_db', 'level_db', 'background_db', 'max_10s_db'],
  ...['threshold', 'threshold_db', 'event_threshold_db'],
  ...['l1_db', 'l5_db', 'l10_db', 'l50_db', 'l90_db', 'l95_db', 'l99_db'],
  ...['leq_db', 'leq_low_db', 'sel_db', 'leq_1h_db', 'level_without_db'],
  ...['lday_db', 'levening_db', 'lnight_db', 'lden_db'],
  ...['lday_low_db', 'levening_low_db', 'lnight_low_db', 'lden_low_db'],
]);

/** Energy means of levels, and figures derived from them. */
export const ENERGY_FIELDS: ReadonlySet<string> = new Set([
  ...['leq_db', 'leq_low_db', 'sel_db', 'leq_1h_db', 'level_without_db'],
  ...['lday_db', 'levening_db', 'lnight_db', 'lden_db', 'rated_db'],
  ...['lday_low_db', 'levening_low_db', 'lnight_low_db', 'lden_low_db', 'rated_low_db'],
  ...['excess_db', 'assessed_db', 'assessed_from', 'minutes_over', 'minutes_undecided', 'average_left_db'],
]);

/** @returns the sum, without binary rounding errors */
export const addLevels = (level: number, offset_db: number) => Number((level + offset_db).toFixed(9));

interface Shown {
  readonly offset_db: number;
  readonly energy_unavailable: boolean;
}

/** @returns the answer with shifted levels, also in nested plain objects and arrays */
export function withLevels<Value>(value: Value, shown: Shown): Value;
export function withLevels(value: unknown, shown: Shown): unknown {
  if (shown.offset_db === 0 && !shown.energy_unavailable) return value;
  if (Array.isArray(value)) return value.map((each) => withLevels(each, shown));
  if (!isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, fieldOf(name, field, shown)]),
  );
}

function fieldOf(name: string, field: unknown, shown: Shown): unknown {
  if (shown.energy_unavailable && ENERGY_FIELDS.has(name)) return null;
  if (typeof field !== 'number') return withLevels(field, shown);
  // a shifted level needs that much less offset to reach the scale of limits
  if (name === 'offset_db') return addLevels(field, -shown.offset_db);
  return LEVEL_FIELDS.has(name) ? addLevels(field, shown.offset_db) : field;
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
