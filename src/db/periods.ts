// How points were recorded: reads and writes the rows of audio_data_periods.

import type { Period } from '../contract/periods.ts';
import { compile, parameter } from './compile.ts';
import type { Database, Run } from './database.ts';
import { sql } from './drizzle.ts';
import { instantText } from './statement-values.ts';

/** As a {@link Period} has them, whatever the settings of the session. */
export const periodColumns = sql`${instantText(sql`since`)} as since, weighting, time_weighting, reference_db,
    calibration_db, interval_ms, channel`;

const newest = compile(
  sql`select ${periodColumns} from audio_data_periods order by audio_data_periods.since desc limit ${parameter('limit')}`,
  'newest_periods',
);

/** Oldest first. */
export const ALL_PERIODS = compile(
  sql`select ${periodColumns} from audio_data_periods order by audio_data_periods.since`,
);

const PUT = `
  insert into audio_data_periods (since, weighting, time_weighting, reference_db, calibration_db, interval_ms, channel)
  values ($1::timestamptz, $2, $3, $4::float8, $5::float8, $6::int, $7)
  on conflict (since) do update set weighting = excluded.weighting, time_weighting = excluded.time_weighting,
    reference_db = excluded.reference_db, calibration_db = excluded.calibration_db,
    interval_ms = excluded.interval_ms, channel = excluded.channel`;

/** Newest first. */
export function newestPeriods(db: Database, limit: number, signal?: AbortSignal): Promise<Period[]> {
  return db.query<Period>(newest, { limit }, signal);
}

/** In place of one that begins at the same time. */
export async function putPeriod(run: Run, period: Period): Promise<void> {
  const { since, weighting, time_weighting, reference_db, calibration_db, interval_ms, channel } = period;
  await run(PUT, [since, weighting, time_weighting, reference_db, calibration_db, interval_ms, channel]);
}
