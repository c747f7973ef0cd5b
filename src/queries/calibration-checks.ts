// Reads the calibration checks of a microphone, with the drift since the one before.
import type { ComparedCheck } from '../contract/calibrations.ts';
import { checkColumns } from '../db/calibrations.ts';
import { compile, parameter } from '../db/compile.ts';
import type { Database } from '../db/database.ts';
import { sql } from '../db/drizzle.ts';

const newest = compile(
  sql`
  select ${checkColumns},
    round((offset_db - lag(offset_db) over (partition by channel order by audio_data_calibrations.time))::numeric, 6)::float8 as drift_db
  from audio_data_calibrations order by audio_data_calibrations.time desc limit ${parameter('limit')}`,
  'calibration_checks',
);

/** Newest first. */
export const calibrationChecks = (db: Database, limit: number): Promise<ComparedCheck[]> =>
  db.query<ComparedCheck>(newest, { limit });
