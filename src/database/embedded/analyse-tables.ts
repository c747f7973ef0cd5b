// Runs ANALYZE for the planner of the embedded database, which has no autovacuum.
import type { RunStatement } from '../database.ts';
import { ROLLUP_TABLES } from '../rollups.ts';

/** The points, and the minutes in which queries look for loud points. */
const TABLES = ['audio_data', ROLLUP_TABLES.total];

/** Leaves out the rollup of histograms, which would take ten times as long. */
export const ANALYSE = `analyze ${TABLES}`;

/** Whether a table was never analysed, or has doubled in size since. */
const HAVE_GROWN = `
  select coalesce(bool_or(size > 2 * relpages::bigint * current_setting('block_size')::int or not exists (
    select from pg_statistic where starelid = pg_class.oid)), false) as grown
  from pg_class, pg_relation_size(pg_class.oid) as size
  where size > 0 and pg_class.oid in (${TABLES.map((name) => `'${name}'::regclass`)})`;

/** Without statistics, a search for rare loud points in a month reads every point. */
export async function analyseGrownTables(run: RunStatement): Promise<void> {
  const [tables] = await run<{ grown: boolean }>(HAVE_GROWN, []);
  if (tables?.grown) await run(ANALYSE, []);
}
