// Reads the calibration checks of a microphone, with the drift since the previous check.
import type { ComparedCheck } from '../contract/calibrations.ts';
import { checkColumns } from '../db/calibrations.ts';
import { compile, parameter } from '../db/compile.ts';
import { sql } from '../db/drizzle.ts';
import type { Store } from '../store/store.ts';

const newest = compile(
  sql`
  select ${checkColumns},
    round((offset_db - lag(offset_db) over (partition by channel order by audio_data_calibrations.time))::numeric, 6)::float8 as drift_db
  from audio_data_calibrations order by audio_data_calibrations.time desc limit ${parameter('limit')}`,
  'calibration_checks',
);

/** Newest first; none if the schema is older than calibration checks. */
export async function calibrationChecks({ db, rollups }: Store, limit: number): Promise<ComparedCheck[]> {
  const { canExclude } = await rollups.check();
  return canExclude ? db.query<ComparedCheck>(newest, { limit }) : [];
}
