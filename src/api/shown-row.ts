// Converts the row of a station to absolute levels, if requested and possible, and removes energy means of maxima.
import { addLevels, withLevels } from '../contract/level-fields.ts';
import type { LevelScale, Levels } from '../contract/periods.ts';
import { absoluteOf, offsetOf } from '../contract/shown-scale.ts';
import type { StationNow, StationOverview } from '../contract/stations.ts';
import type { LastDay } from '../queries/statistics/last-day.ts';

/** A row with stored levels, and the offsets that make its hourly and night levels absolute. */
export interface Row extends Pick<LastDay, 'hours_offset_db' | 'night_offset_db'> {
  readonly row: StationOverview;
}

export function shownRow({ row, hours_offset_db, night_offset_db }: Row, levels: Levels): StationOverview {
  const { scale: stored, calibration_offset_db, hours, night, level_db, leq_1h_db } = row;
  if (!stored) return row;
  const { energy_unavailable } = stored;
  const { offset_db, scale } = shiftOf(stored, calibration_offset_db, levels);
  const now = withLevels({ level_db, leq_1h_db }, { offset_db: offset_db ?? 0, energy_unavailable });
  // levels on an unknown scale, or on one that is not current, cannot be compared
  const shifted = (level: number | null, own: number | null) =>
    level === null || offset_db === null ? level : own === null ? null : addLevels(level, own);
  const past = (hours ?? []).slice(0, -1).map((level) => shifted(level, hours_offset_db));
  const running = (hours ?? [])
    .slice(-1)
    .map((level) => (level === null || energy_unavailable ? null : shifted(level, offset_db)));
  return {
    ...row,
    ...now,
    scale,
    hours: hours && [...past, ...running],
    night: night && { ...night, leq_db: shifted(night.leq_db, night_offset_db) },
  };
}

type LevelsNow = Pick<StationNow, 'level_db' | 'max_10s_db'>;

/** @param stored the scale of the levels */
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
