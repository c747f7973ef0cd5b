// Reads and writes calibration checks: the rows of audio_data_calibrations.
import type { CalibrationCheck } from '../contract/calibrations.ts';
import { compile } from './compile.ts';
import type { RunStatement } from './database.ts';
import { sql } from './drizzle.ts';
import { tables } from './schema.ts';
import { instantText } from './statement-values.ts';

export const checkColumns = sql`${instantText(sql`time`)} as time, level_db, frequency_hz, offset_db, channel`;

/** Oldest first. */
export const ALL_CHECKS = compile(
  sql`select ${checkColumns} from ${tables.calibrations} order by audio_data_calibrations.time`,
);

const ADD = compile(sql`
  insert into ${tables.calibrations} (time, level_db, frequency_hz, offset_db, channel)
  select * from json_to_recordset($1) as checks (
    time timestamptz, level_db float8, frequency_hz float8, offset_db float8, channel text)
  on conflict do nothing`).text;

/** Adds the checks that the database lacks. */
export async function addChecks(run: RunStatement, checks: readonly CalibrationCheck[]): Promise<void> {
  await run(ADD, [JSON.stringify(checks)]);
}
