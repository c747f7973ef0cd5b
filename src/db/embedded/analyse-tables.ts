// Has the embedded database look at what its tables hold, by which it plans statements: it has no autovacuum.
import type { Run } from '../database.ts';
import { ROLLUP_TABLES } from '../rollups.ts';

/** The points, and the minutes in which loud ones are looked for. */
const TABLES = ['audio_data', ROLLUP_TABLES.total];

/** Histograms would take ten times as long. */
export const ANALYSE = `analyze ${TABLES}`;

/** Whether one of them was never looked at, or is twice as large as it was then. */
const HAVE_GROWN = `
  select coalesce(bool_or(size > 2 * relpages::bigint * current_setting('block_size')::int or not exists (
    select from pg_statistic where starelid = pg_class.oid)), false) as grown
  from pg_class, pg_relation_size(pg_class.oid) as size
  where size > 0 and pg_class.oid in (${TABLES.map((name) => `'${name}'::regclass`)})`;

/** Without it a search for rare loud points among a month of them reads them all. */
export async function analyseGrownTables(run: Run): Promise<void> {
  const [tables] = await run<{ grown: boolean }>(HAVE_GROWN, []);
  if (tables?.grown) await run(ANALYSE, []);
}
