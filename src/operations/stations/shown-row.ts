// Converts the row of a station to absolute levels, if requested and possible, and removes energy means of maxima.
import type { LevelScale, Levels } from '../../contract/periods.ts';
import { absoluteOf, offsetOf, withLevels } from '../../contract/shown-scale.ts';
import type { StationNow, StationOverview } from './contract.ts';
import type { LastDay } from './last-day.ts';

/** A row with stored levels, and the offsets that make its hourly and night levels absolute. */
export interface Row extends Pick<LastDay, 'hours_offset_db' | 'night_offset_db'> {
  readonly row: StationOverview;
}

export function shownRow({ row, hours_offset_db, night_offset_db }: Row, levels: Levels): StationOverview {
  const { scale: stored, calibration_offset_db, hours, night, level_db, leq_1h_db } = row;
  if (!stored) return row;
  const { offset_db, scale } = shiftOf(stored, calibration_offset_db, levels);
  const now = { offset_db: offset_db ?? 0, energy_unavailable: stored.energy_unavailable };
  // an energy mean without an offset of its own cannot be compared
  const past = (own: number | null) => ({
    offset_db: (offset_db !== null && own) || 0,
    energy_unavailable: offset_db !== null && own === null,
  });
  const shownHours = hours?.map(
    (leq_db, hour) => withLevels({ leq_db }, hour < hours.length - 1 ? past(hours_offset_db) : now).leq_db,
  );
  return {
    ...row,
    ...withLevels({ level_db, leq_1h_db }, now),
    scale,
    hours: shownHours ?? null,
    night: night && withLevels(night, past(night_offset_db)),
  };
}

type LevelsNow = Pick<StationNow, 'level_db' | 'max_10s_db'>;

export function shownLevels(
  now: LevelsNow,
  stored: LevelScale,
  calibrationOffsetDb: number | null,
  levels: Levels,
): LevelsNow & Pick<StationNow, 'scale'> {
  const { offset_db, scale } = shiftOf(stored, calibrationOffsetDb, levels);
  return { ...withLevels(now, { offset_db: offset_db ?? 0, energy_unavailable: false }), scale };
}

/** @returns the scale to show, and the offset from stored levels; null if levels stay as stored */
function shiftOf(stored: LevelScale, calibrationOffsetDb: number | null, levels: Levels) {
  const offset_db = levels === 'stored' ? null : offsetOf(stored, calibrationOffsetDb);
  return { offset_db, scale: offset_db === null ? stored : absoluteOf(stored, offset_db) };
}
