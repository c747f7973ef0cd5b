// Finds the largest correction of the clock in the minutes that an interval touches.
import type { Interval } from '../../contract/instant.ts';
import { compile, parameter } from '../../db/compile.ts';
import type { Database } from '../../db/database.ts';
import { sql } from '../../db/drizzle.ts';

const largest = compile(
  sql`select correction_ms from audio_data_clock
    where minute > ${parameter('from')}::timestamptz - interval '1 minute' and minute < ${parameter('to')}::timestamptz
    order by abs(correction_ms) desc, minute limit 1`,
  'largest_correction',
);

/** A standby may not have the table yet: call this only if a period has a clock. @returns 0 if there is none */
export async function largestCorrection(db: Database, { from, to }: Interval): Promise<number> {
  const [found] = await db.query<{ correction_ms: number }>(largest, { from, to });
  return found?.correction_ms ?? 0;
}
