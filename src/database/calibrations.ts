// Reads and writes calibration checks: the rows of audio_data_calibrations.
import type { CalibrationCheck } from '../contract/calibrations.ts';
import type { Queries } from './database.ts';
import { withBuilder } from './query-builder.ts';
import { tables } from './schema.ts';

const { calibrations } = tables;

/** Oldest first. */
export const allChecks = (queries: Queries): Promise<CalibrationCheck[]> =>
  withBuilder(queries, (builder) => builder.select().from(calibrations).orderBy(calibrations.time));

/** Adds the checks that the database lacks. */
export async function addChecks(queries: Queries, checks: readonly CalibrationCheck[]): Promise<void> {
  if (checks.length > 0)
    await withBuilder(queries, (builder) =>
      builder
        .insert(calibrations)
        .values([...checks])
        .onConflictDoNothing(),
    );
}
