// The scales that tests expect in answers.
import type { LevelScale } from '../src/contract/periods.ts';

/** The scale of levels without a period. */
export const DBFS_SCALE: LevelScale = {
  levels: 'stored',
  unit: 'dBFS',
  reference_db: 0,
  floor_db: -50,
  weighting: null,
  time_weighting: null,
  statistic: null,
  energy_unavailable: false,
  recording_period_count: 1,
};

/** The `service.info` of a station that has recorded nothing. */
export const NOT_RECORDED = { points_since: null, periods: [], calibration_offset_db: null };
