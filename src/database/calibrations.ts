// Reads and writes calibration checks: the rows of audio_data_calibrations.
import type { CalibrationCheck } from '../contract/calibrations.ts';
import type { Queries, Transaction } from './database.ts';
import { slicesOf, withBuilder } from './drizzle.ts';
import { tables } from './schema.ts';

const { calibrations } = tables;

/** Oldest first. */
export const allChecks = (queries: Queries): Promise<CalibrationCheck[]> =>
  withBuilder(queries, (builder) => builder.select().from(calibrations).orderBy(calibrations.time));

/** Adds the checks that the database lacks. */
export async function addChecks(transaction: Transaction, checks: readonly CalibrationCheck[]) {
  for (const some of slicesOf(checks))
    await withBuilder(transaction, (builder) =>
      builder.insert(calibrations).values(some).onConflictDoNothing(),
    );
}
